/** Runs the real `kubectl` against a server, for tests; says aloud when there is none. */
import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FakeIdentity } from './cluster-identity.fake';

export interface KubectlRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface KubectlTarget {
  readonly port: number;
  readonly caPem: string;
  readonly serverName: string;
  readonly identity: FakeIdentity;
}

const b64 = (text: string): string => Buffer.from(text).toString('base64');

export function hasKubectl(): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((dir) => {
    try {
      accessSync(path.join(dir, 'kubectl'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** JSON is YAML, so kubectl reads it as a kubeconfig. */
function kubeconfig({ port, caPem, serverName, identity }: KubectlTarget): string {
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    'tls-server-name': serverName,
    'certificate-authority-data': b64(caPem),
  };
  const user = {
    'client-certificate-data': b64(identity.certPem),
    'client-key-data': b64(identity.keyPem),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  });
}

export class Kubectl {
  private readonly home = mkdtempSync(path.join(tmpdir(), 'kubectl-'));

  constructor(target: KubectlTarget) {
    writeFileSync(path.join(this.home, 'config'), kubeconfig(target), { mode: 0o600 });
  }

  run(args: readonly string[], input = ''): Promise<KubectlRun> {
    const env = { PATH: process.env['PATH'], HOME: this.home, KUBECONFIG: path.join(this.home, 'config') };
    return new Promise((resolve) => {
      const child = execFile('kubectl', [...args], { env, timeout: 20_000 }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, out, err });
      });
      child.stdin?.end(input);
    });
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
