/** Keeps the agent's identity over restarts. One file, replaced as a whole: a key never meets a foreign certificate. */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { AgentIdentity } from './agent-identity';

const FIELDS = ['keyPem', 'certificatePem', 'caPem', 'agentId', 'providerId'] as const;

export class IdentityStore {
  private readonly file: string;

  constructor(private readonly stateDir: string) {
    this.file = path.join(stateDir, 'identity.json');
  }

  /** Undefined when there is none, or none that can be read. */
  async load(): Promise<AgentIdentity | undefined> {
    try {
      const stored: unknown = JSON.parse(await readFile(this.file, 'utf8'));
      return isIdentity(stored) ? stored : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') {
        return undefined;
      }
      throw error;
    }
  }

  async save(identity: AgentIdentity): Promise<void> {
    await mkdir(this.stateDir, { recursive: true, mode: 0o700 });
    const next = `${this.file}.${process.pid}.next`;
    const handle = await open(next, 'w', 0o600);
    try {
      await handle.chmod(0o600); // an older file of this name would keep its mode
      await handle.writeFile(JSON.stringify(identity));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, this.file);
  }
}

function isIdentity(value: unknown): value is AgentIdentity {
  return (
    typeof value === 'object' &&
    value !== null &&
    FIELDS.every((field) => typeof (value as Record<string, unknown>)[field] === 'string')
  );
}
