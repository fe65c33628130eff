/** Entry of `quorate`. `--version` must be quick: nothing is loaded for it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type * as runner from './run-cli';
import type * as terminal from './terminal/process-terminal';

function clientVersion(): string {
  const manifest = readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const version = clientVersion();
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const { runCli } = require('./run-cli') as typeof runner;
  const { processTerminal } = require('./terminal/process-terminal') as typeof terminal;
  // Not process.exit: what is written to a pipe must arrive.
  process.exitCode = await runCli(args, { terminal: processTerminal(), version });
}

void main();
