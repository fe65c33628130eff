/** What every reader of a template shares: the report, and the files that were sent beside the template. */
import type { Report } from '../yaml/report';

export interface TemplateContext {
  readonly report: Report;
  /** Normalized relative path to text. */
  readonly files: ReadonlyMap<string, string>;
  /** Without v, when legible. */
  readonly talosVersion?: string;
  readonly managed: boolean;
}
