/** File references stay inside the template's folder; what leaves it is refused before anybody opens anything. */

export type FilePath =
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string; readonly remedy: string };

const BESIDE = 'Name files relative to the folder of the template, such as patches/network.yaml.';

export function resolveFilePath(written: string): FilePath {
  if (written.trim() === '' || written.includes('\0')) {
    return { kind: 'refused', code: 'FILE_NAME', reason: 'The file name is empty.', remedy: BESIDE };
  }
  if (/^(?:[/\\~]|[A-Za-z]:|[a-z][a-z0-9+.-]*:)/.test(written)) {
    const reason = 'The file path is absolute; a template can only name files in its own folder.';
    return { kind: 'refused', code: 'FILE_ABSOLUTE', reason, remedy: BESIDE };
  }
  if (written.includes('\\')) {
    return {
      kind: 'refused',
      code: 'FILE_NAME',
      reason: 'The file path holds a backslash.',
      remedy: 'Separate by /.',
    };
  }
  const steps: string[] = [];
  for (const step of written.split('/')) {
    if (step === '..' && steps.pop() === undefined) {
      const reason = 'The file path leaves the folder of the template.';
      return { kind: 'refused', code: 'FILE_OUTSIDE', reason, remedy: BESIDE };
    }
    if (step !== '' && step !== '.' && step !== '..') {
      steps.push(step);
    }
  }
  return steps.length === 0
    ? { kind: 'refused', code: 'FILE_NAME', reason: 'The file path names a folder.', remedy: BESIDE }
    : { kind: 'inside', path: steps.join('/') };
}
