// npm run check: every gate that needs no running system, two at a time. One table at the end; red is non-zero.
//   node tools/check.mjs [name ...]   only these
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import fs from 'node:fs';
import path from 'node:path';
import { checkPackageLock, checkWords } from './check/text-rules.mjs';

const root = path.resolve(import.meta.dirname, '..');
const bin = (name) => path.join(root, 'node_modules', '.bin', name);

/** Longest first, so that the short ones fill the second lane. */
const gates = [
  {
    name: 'lint',
    says: 'typed rules and house rules',
    run: tool('eslint', 'src', 'test', '--max-warnings', '0'),
  },
  { name: 'types', says: 'tsc, sources and tests', run: tool('tsc', '--noEmit', '-p', '.') },
  {
    name: 'dead-code',
    says: 'knip: unused files, exports, packages',
    run: tool('knip', '--no-config-hints'),
  },
  { name: 'format', says: 'prettier', run: tool('prettier', '--check', '.', '--log-level', 'warn') },
  {
    name: 'arrows',
    says: 'who may import whom',
    run: tool('depcruise', 'src', 'test', '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long'),
  },
  {
    name: 'schema',
    says: 'migrations give schema.prisma',
    run: program(process.execPath, 'tools/db.mjs', 'drift-migrations'),
  },
  {
    name: 'problems',
    says: 'docs/reference/problems.md is current',
    run: program(process.execPath, 'tools/problems.mjs', '--check'),
  },
  { name: 'proto', says: 'buf lint', run: tool('buf', 'lint') },
  { name: 'lock-file', says: 'packages name no registry', run: () => checkPackageLock(root) },
  { name: 'words', says: 'no stray words, no leftovers', run: () => checkWords(root) },
];

function tool(name, ...args) {
  return program(bin(name), ...args);
}

function program(command, ...args) {
  return () =>
    new Promise((resolve) => {
      // Not the database of whoever runs this: the schema gate starts its own.
      const { DATABASE_URL: _ignored, ...env } = process.env;
      const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      child.stdout.on('data', (chunk) => (output += chunk));
      child.stderr.on('data', (chunk) => (output += chunk));
      child.once('error', (error) => resolve({ ok: false, output: error.message }));
      child.once('close', (code) => resolve({ ok: code === 0, output }));
    });
}

async function runGate(gate) {
  const started = Date.now();
  const { ok, output } = await gate.run();
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (!ok) console.error(`\n--- ${gate.name} ---\n${output.trim()}\n`);
  return { ...gate, ok, seconds };
}

async function runAll(wanted) {
  const waiting = [...wanted];
  const results = [];
  const lane = async () => {
    for (let gate = waiting.shift(); gate !== undefined; gate = waiting.shift())
      results.push(await runGate(gate));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
  return results;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !gates.some((gate) => gate.name === name));
if (unknown.length > 0) {
  console.error(
    `check: no gate named ${unknown.join(', ')}; there are ${gates.map((gate) => gate.name).join(', ')}`,
  );
  process.exit(64);
}
const results = await runAll(gates.filter((gate) => names.length === 0 || names.includes(gate.name)));
const line = ({ ok, name, says, seconds }) =>
  `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(10)} ${seconds.padStart(6)} s  ${says}`;
console.log(results.map(line).join('\n'));
const failed = results.filter((result) => !result.ok);
if (process.env.CHECK_RESULTS)
  fs.writeFileSync(process.env.CHECK_RESULTS, `${results.length - failed.length} ${failed.length}\n`);
process.exit(failed.length === 0 ? 0 : 1);
