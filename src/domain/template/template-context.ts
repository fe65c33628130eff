/** What every reader of a template shares: the report, and the files that were sent beside the template. */
import type { Report } from '../yaml/report';
import type { YamlNode } from '../yaml/yaml-tree';

export interface TemplateContext {
  readonly report: Report;
  /** Normalized relative path to text. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that were read already, so that one that is named often is parsed, and its faults told, once. */
  readonly parsedFiles: Map<string, readonly YamlNode[]>;
  readonly budget: ContentBudget;
  /** Without v, when legible. */
  readonly talosVersion?: string;
  readonly managed: boolean;
}

const MAX_CONTENT_CHARACTERS = 8 * 1024 * 1024;
const MAX_CONTENTS = 1000;

/** All patches and manifests of one template together: a large file that is named a thousand times counts each time. */
export class ContentBudget {
  private characters = 0;
  private contents = 0;

  /** False from the content on that no longer fits. */
  take(characters: number): boolean {
    this.characters += characters;
    this.contents += 1;
    return this.characters <= MAX_CONTENT_CHARACTERS && this.contents <= MAX_CONTENTS;
  }

  readonly fault = {
    code: 'CONTENT_TOO_LARGE',
    reason: `The template holds more than ${MAX_CONTENTS} patches and manifests, or more than 8 MiB of them.`,
    remedy: 'Remove some, or install large manifests with a tool of your own.',
  } as const;
}
