import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONFIG_KEYS, loadConfig } from './config';

const example = readFileSync(path.resolve(__dirname, '../../../.env.example'), 'utf8');
const compose = readFileSync(path.resolve(__dirname, '../../../docker-compose.yml'), 'utf8');
const shown = Object.fromEntries(
  [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => [match[1] ?? '', match[2] ?? '']),
);

describe('.env.example', () => {
  it('shows every key of the server', () => {
    expect(CONFIG_KEYS.filter((key) => !(key in shown))).toEqual([]);
  });

  it('shows nothing else but what docker-compose.yml reads', () => {
    const others = Object.keys(shown).filter((key) => !CONFIG_KEYS.includes(key));
    expect(others.filter((key) => !compose.includes(`\${${key}`))).toEqual([]);
  });

  it('is a configuration that works', () => {
    expect(loadConfig(shown).values).toMatchObject({ HTTP_PORT: 8080, QUEUE_URL: 'redis://127.0.0.1:6379' });
  });
});

describe('configuration', () => {
  const minimal = { DATABASE_URL: shown['DATABASE_URL'], DATABASE_SYSTEM_URL: shown['DATABASE_SYSTEM_URL'] };

  it('names every problem at once', () => {
    const load = () => loadConfig({ ...minimal, HTTP_PORT: 'eighty', ROLES: 'cook' });
    expect(load).toThrow(/ROLES[\s\S]*HTTP_PORT[\s\S]*SECRETS_KEY/);
  });

  it('takes a value from the file that NAME_FILE names', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'quorate-config-'));
    const file = path.join(dir, 'key');
    writeFileSync(file, `${shown['SECRETS_KEY'] ?? ''}\n`);
    expect(loadConfig({ ...minimal, SECRETS_KEY_FILE: file }).values.SECRETS_KEY).toBe(shown['SECRETS_KEY']);
    rmSync(dir, { recursive: true });
  });
});
