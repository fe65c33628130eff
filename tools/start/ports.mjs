// One base port; everything else follows it, so that one variable moves a whole installation.
import net from 'node:net';
import { StartError } from './say.mjs';

export const DOORS = ['HTTP', 'provider door', 'Kubernetes gateway', 'simulator', 'discovery'];

export function portsFrom(text) {
  const base = Number(text);
  if (!Number.isInteger(base) || base < 1 || base > 65_530) {
    throw new StartError(`QUORATE_PORT must be a port number from 1 to 65530, not ${JSON.stringify(text)}`);
  }
  return {
    http: base,
    providers: base + 1,
    kube: base + 2,
    simulator: base + 3,
    discovery: base + 4,
    postgres: base + 5,
  };
}

function inUse(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve(error.code));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}

/** PostgreSQL's port is not checked: it moves to a free one by itself. */
export async function checkPorts(ports) {
  for (const [index, port] of [
    ports.http,
    ports.providers,
    ports.kube,
    ports.simulator,
    ports.discovery,
  ].entries()) {
    const code = await inUse(port);
    if (code === 'EADDRINUSE') {
      throw new StartError(`port ${port} (${DOORS[index]}) is in use; set QUORATE_PORT to another base port`);
    }
    if (code !== undefined) {
      throw new StartError(`cannot listen on port ${port} (${code}); set QUORATE_PORT to another base port`);
    }
  }
}
