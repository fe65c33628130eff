/** A template with the files that it names: read here, because the server opens no files. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { CliError, usageError } from '../cli-error';
import type { Terminal } from '../terminal/terminal';
import { referencedFiles } from './referenced-files';

export interface TemplateBody {
  readonly template: string;
  readonly fileName: string;
  readonly files: Readonly<Record<string, string>>;
}

/** A body larger than this is refused by the server anyway. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** Undefined when it is not there, too large, no plain file, or really elsewhere (a link): then the server says so. */
function readInside(folder: string, relative: string): string | undefined {
  try {
    const real = realpathSync(path.join(folder, relative));
    const { size } = statSync(real);
    const inside = real.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
    return inside && statSync(real).isFile() && size <= MAX_FILE_BYTES
      ? readFileSync(real, 'utf8')
      : undefined;
  } catch {
    return undefined;
  }
}

function readText(terminal: Terminal, file: string): string {
  try {
    return readFileSync(path.resolve(terminal.cwd, file), 'utf8');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : code;
    throw new CliError(`${file} cannot be read`, {
      why: [why],
      next: 'name a template with -f FILE, or - for standard input',
    });
  }
}

export async function readTemplate(terminal: Terminal, file: string): Promise<TemplateBody> {
  const fromStdin = file === '-';
  const template = fromStdin ? await terminal.readStdin() : readText(terminal, file);
  if (template.trim() === '') {
    throw usageError(`${fromStdin ? 'standard input' : file} is empty`, 'see templates/ for examples');
  }
  const folder = realpathSync(fromStdin ? terminal.cwd : path.dirname(path.resolve(terminal.cwd, file)));
  const found = referencedFiles(template).map((name) => [name, readInside(folder, name)] as const);
  const files = found.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { template, fileName: fromStdin ? '<stdin>' : file, files: Object.fromEntries(files) };
}
