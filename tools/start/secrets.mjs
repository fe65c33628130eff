// Everything secret of an embedded installation, made once and kept in one file that only its owner can read.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readJson, writePrivate } from './data-directory.mjs';
import { StartError } from './say.mjs';

const random = (prefix = '') => `${prefix}${randomBytes(24).toString('base64url')}`;

const make = () => ({
  installation: randomBytes(8).toString('hex'),
  secretsKey: randomBytes(32).toString('base64'),
  passwords: { quorate_app: random(), quorate_system: random() },
  operatorToken: random('qt_'),
  demoToken: random('qt_'),
  simulatorToken: random(),
  joinTokens: { platform: random('qj_'), 'demo-lab': random('qj_') },
});

export function loadSecrets(dir) {
  const file = path.join(dir, 'secrets.json');
  const found = readJson(file);
  if (found?.secretsKey !== undefined) return found;
  // The database is encrypted with the lost key; a new one would only hide that.
  if (fs.existsSync(path.join(dir, 'pg', 'initdb.complete'))) {
    throw new StartError(`${file} is missing or damaged; restore it, or remove ${dir} to start anew`);
  }
  const made = make();
  writePrivate(file, made);
  return made;
}
