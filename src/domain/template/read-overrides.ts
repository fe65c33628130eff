/** `systemExtensions` and `kernelArgs`: absent or null inherits, an empty list clears, and both are kept apart. */
import type { Fields } from '../yaml/fields';

export interface Overrides {
  readonly systemExtensions?: readonly string[];
  readonly kernelArgs?: readonly string[];
}

const MAX_ITEMS = 256;
const MAX_KERNEL_ARGS = 64;
const MAX_LENGTH = 256;

export function readOverrides(fields: Fields): Overrides {
  const systemExtensions = readWords(fields, 'systemExtensions', MAX_ITEMS);
  const kernelArgs = readWords(fields, 'kernelArgs', MAX_KERNEL_ARGS);
  return { ...(systemExtensions && { systemExtensions }), ...(kernelArgs && { kernelArgs }) };
}

function readWords(fields: Fields, key: string, limit: number): readonly string[] | undefined {
  const words = fields.texts(key);
  if (words !== undefined && words.length > limit) {
    fields.refuse(key, 'TOO_MANY_ENTRIES', `${key} has more than ${limit} entries.`, 'Remove some.');
  }
  words?.forEach((word, index) => {
    if (word.trim() === '' || word.length > MAX_LENGTH) {
      const path = `${fields.path}.${key}[${index}]`;
      const reason = `An entry of ${key} has 1 to ${MAX_LENGTH} characters.`;
      const at = fields.report.locate(path);
      fields.report.refuse(at, { path, code: 'ENTRY_LENGTH', reason, remedy: 'Fill it in or remove it.' });
    }
  });
  return words;
}
