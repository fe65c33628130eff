import { rmSync } from 'node:fs';

export default async function globalTeardown() {
  const { server, dir } = globalThis.quoratePostgres;
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
