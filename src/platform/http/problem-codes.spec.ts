import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DomainError } from '../../domain/shared/errors';
import { toProblem } from './problem';
import { AGENT_CODES, INTERNAL_CODES, PROBLEM_CODES } from './problem-codes';

const SRC = path.resolve(__dirname, '../..');
/** They refuse over gRPC or on a terminal, and have codes of their own. */
const ELSEWHERE = ['agent', 'cli', 'simulator', 'generated'];

function sources(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.spec.ts') &&
      !ELSEWHERE.includes(file.split(path.sep)[0] ?? ''),
  );
}

/** `new DomainError('<kind>', '<CODE>'`, over line breaks. */
function thrownCodes(): string[] {
  const found = sources().flatMap((file) => {
    const text = readFileSync(path.join(SRC, file), 'utf8');
    return [...text.matchAll(/new DomainError\(\s*'[a-z-]+',\s*'([A-Z_]+)'/g)].map((match) => match[1] ?? '');
  });
  return [...new Set(found)].sort();
}

describe('the registry of problem codes', () => {
  test('lists every code that is thrown', () => {
    expect(thrownCodes().length).toBeGreaterThan(20);
    const listed = new Set([...Object.keys(PROBLEM_CODES), ...INTERNAL_CODES, ...AGENT_CODES]);
    expect(thrownCodes().filter((code) => !listed.has(code))).toEqual([]);
  });

  test('gives each an error status, a title and a way on', () => {
    for (const [code, { status, title, help }] of Object.entries(PROBLEM_CODES)) {
      expect(code).toMatch(/^[A-Z][A-Z_]{2,62}$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect([code, title.length > 0, help.length > 0]).toEqual([code, true, true]);
    }
  });

  test.each([
    {
      name: 'an internal refusal',
      error: new DomainError('unavailable', 'MACHINE_UNREACHABLE', '10.1.2.3 does not answer'),
    },
    { name: 'an error of a library', error: new Error('connect ECONNREFUSED 10.1.2.3') },
    { name: 'no error at all', error: '10.1.2.3' },
  ])('tells nothing of $name', ({ error }) => {
    const problem = toProblem(error, 'r-1');
    expect(problem).toMatchObject({ status: 500, code: 'INTERNAL', requestId: 'r-1' });
    expect(JSON.stringify(problem)).not.toContain('10.1.2.3');
  });

  test('is what docs/reference/problems.md says', () => {
    execFileSync('node', [path.resolve(SRC, '../tools/problems.mjs'), '--check'], { stdio: 'pipe' });
  });
});
