// Gates over plain text: what no compiler sees.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** A lock file that names where its packages came from installs only where that place can be reached; .npmrc leaves it out. */
export async function checkPackageLock(root) {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const placed = Object.entries(packages).filter(([, { resolved }]) => resolved);
  const unlocked = Object.entries(packages).filter(([name, { integrity }]) => name !== '' && !integrity);
  const lines = [
    ...placed.map(
      ([name]) => `${name} names where it came from; reinstall it with the .npmrc of this folder`,
    ),
    ...unlocked.map(([name]) => `${name} has no integrity hash; reinstall it`),
  ];
  return { ok: lines.length === 0, output: lines.join('\n') };
}

/** Pieces, so that this file does not find itself. */
const WORDS = [
  [['FIX', 'ME'], 'mend it, or write it into docs/known-gaps.md'],
  [['XX', 'X\\b'], 'mend it, or write it into docs/known-gaps.md'],
  [['\\b(it|test|describe)\\.(on', 'ly|skip)\\b'], 'tests run, all of them'],
  [['\\bx(it|describe)\\('], 'tests run, all of them'],
  [['eslint-dis', 'able(?!-next-line [^\\n]+ -- )'], 'disable one rule on one line, and say why after --'],
  [['@ts-(ign', 'ore|nocheck)'], 'use @ts-expect-error with a reason'],
  [['(?<![\\w.])/(work|ro', 'ot)/'], 'no path of one machine belongs in the repository'],
  [
    ['\\.\\./sha', 'red/(cases|design|reference|hooks)\\b'],
    'no path of one machine belongs in the repository',
  ],
].map(([pieces, remedy]) => ({ pattern: new RegExp(pieces.join('')), remedy }));

const TEXT = /\.(ts|tsx|mjs|cjs|js|json|ya?ml|md|sql|prisma|proto|sh)$|^(Dockerfile|\.ci\/run)$/;

export async function checkWords(root) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((file) => TEXT.test(file) && file !== 'package-lock.json');
  const found = files
    .filter((file) => fs.existsSync(path.join(root, file)))
    .flatMap((file) => findings(root, file));
  return { ok: found.length === 0, output: found.join('\n') };
}

function findings(root, file) {
  const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    WORDS.filter(({ pattern }) => pattern.test(line)).map(
      ({ pattern, remedy }) => `${file}:${index + 1}: ${pattern.exec(line)[0]} - ${remedy}`,
    ),
  );
}
