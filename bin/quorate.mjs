#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
if (existsSync(main)) {
  createRequire(import.meta.url)(main);
} else {
  console.error('quorate is not built yet: run `npm run setup` in its folder first');
  process.exitCode = 1;
}
