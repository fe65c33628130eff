/** What Talos's own tool says of every config that is rendered; without `talosctl` on PATH this says so aloud. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fixtureInput } from '../../src/domain/machine-config/machine-config-fixtures';
import { renderMachineConfig } from '../../src/domain/machine-config/render-machine-config';
import { validateMachineConfig } from '../../src/domain/machine-config/validate-machine-config';
import { generateSecretsBundle } from '../../src/infrastructure/pki/generate-secrets-bundle';
import { RsaKeyPool } from '../../src/infrastructure/pki/rsa-key-pool';

const TALOS_VERSIONS = ['1.8.4', '1.9.6', '1.10.9', '1.11.6', '1.12.11', '1.13.9', '1.14.0'];
const ROLES = ['control-plane', 'worker'] as const;

/** Minor of the talosctl on PATH; it knows the layouts up to its own. */
function talosctlMinor(): number | undefined {
  try {
    const text = execFileSync('talosctl', ['version', '--client', '--short'], { encoding: 'utf8' });
    return Number(/v1\.(\d+)\./.exec(text)?.[1]);
  } catch {
    return undefined;
  }
}

const minor = talosctlMinor();
const minorOf = (version: string): number => Number(version.split('.')[1]);

describe('rendered machine configs', () => {
  let directory: string;
  /** One for all: of real length, and made once. */
  let serviceAccountKey: string;

  beforeAll(async () => {
    const pool = new RsaKeyPool({ size: 0 });
    serviceAccountKey = await pool.take();
    pool.close();
    directory = mkdtempSync(path.join(tmpdir(), 'quorate-conformance-'));
    if (minor === undefined) {
      process.stderr.write('CONFORMANCE NOT RUN: talosctl is not on PATH; only our own rules were applied\n');
    }
  }, 60_000);
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it.each(TALOS_VERSIONS)('of Talos %s are valid', async (talosVersion) => {
    const secrets = await generateSecretsBundle(
      talosVersion,
      { take: () => Promise.resolve(serviceAccountKey) },
      new Date(),
    );
    for (const role of ROLES) {
      const yaml = renderMachineConfig(fixtureInput({ talosVersion, role, secrets }));
      expect(validateMachineConfig(yaml, talosVersion)).toEqual([]);
      if (minor !== undefined && minorOf(talosVersion) <= minor) {
        const file = path.join(directory, `${talosVersion}-${role}.yaml`);
        writeFileSync(file, yaml, { mode: 0o600 });
        execFileSync('talosctl', ['validate', '--mode', 'metal', '--config', file], { encoding: 'utf8' });
      }
    }
  });
});
