/** The files that came with a template, by normalized path; how many and how large they may be. */
import type { Report } from '../yaml/report';
import { resolveFilePath } from './resolve-file-path';

const MAX_FILES = 500;
const MAX_TOTAL_CHARACTERS = 8 * 1024 * 1024;

export function collectFiles(
  files: Readonly<Record<string, string>>,
  report: Report,
): ReadonlyMap<string, string> {
  const entries = Object.entries(files);
  const total = entries.reduce((sum, [, text]) => sum + text.length, 0);
  if (entries.length > MAX_FILES || total > MAX_TOTAL_CHARACTERS) {
    const reason = `More than ${MAX_FILES} files, or more than 8 MiB of them, came with the template.`;
    report.refuse(undefined, {
      path: 'files',
      code: 'FILES_TOO_LARGE',
      reason,
      remedy: 'Split the template.',
    });
    return new Map();
  }
  return new Map(
    entries.flatMap(([name, text]) => {
      const resolved = resolveFilePath(name);
      // A path that no template can name is never looked up.
      return resolved.kind === 'inside' ? [[resolved.path, text] as const] : [];
    }),
  );
}
