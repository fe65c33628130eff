import { createServer, connect as connectTls, type TLSSocket } from 'node:tls';
import { connect, type AddressInfo } from 'node:net';
import { CertificateAuthority } from '../../infrastructure/pki/certificate-authority';
import { toStandardLabel } from '../../infrastructure/pki/pem-labels';
import { KubeGateway } from './kube-gateway';
import { readServerName } from './read-server-name';

/** Nobody verifies it: `ask` looks at what the server says. */
async function certificateOf(commonName: string): Promise<{ key: string; cert: string }> {
  const now = new Date();
  const ca = await CertificateAuthority.load(await CertificateAuthority.create({ kind: 'p256', now }));
  const { crt, key } = await ca.issue({ commonName, usage: 'server', now, ttlMs: 3_600_000 });
  return { key: toStandardLabel(key), cert: crt };
}

/** A TLS server that greets with its own name. */
async function backend(name: string): Promise<{ endpoint: string; close(): void }> {
  const server = createServer(await certificateOf(name), (socket: TLSSocket) =>
    socket.end(`hello from ${name}`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

function ask(port: number, servername: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connectTls({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', (error) => {
      resolve(`error: ${error.message}`);
    });
    socket.on('close', () => {
      resolve(text);
    });
  });
}

test('the gateway leads each name to its own cluster, past machines that are down, and refuses other names', async () => {
  const [one, two] = [await backend('one'), await backend('two')];
  const routes: Record<string, string[]> = {
    'one.test': [one.endpoint],
    'two.test': ['127.0.0.1:1', two.endpoint],
    'down.test': ['127.0.0.1:1'],
  };
  const gateway = new KubeGateway(
    { resolve: (host) => Promise.resolve(routes[host] ?? []) },
    { host: '127.0.0.1', port: 0, maxConnections: 100 },
  );
  const port = await gateway.start();
  try {
    expect(await ask(port, 'one.test')).toBe('hello from one');
    expect(await ask(port, 'TWO.test')).toBe('hello from two');
    expect(await ask(port, 'other.test')).toMatch(/error: .*unrecognized name/);
    expect(await ask(port, 'down.test')).toMatch(/error: .*internal error/);
  } finally {
    await gateway.stop();
    one.close();
    two.close();
  }
});

test('what is not TLS is cut off at once', async () => {
  const gateway = new KubeGateway(
    { resolve: () => Promise.resolve([]) },
    { host: '127.0.0.1', port: 0, maxConnections: 100 },
  );
  const port = await gateway.start();
  const socket = connect({ host: '127.0.0.1', port });
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await new Promise((resolve) => socket.once('close', resolve));
  await gateway.stop();
  expect(socket.bytesRead).toBe(0);
});

async function helloOf(servername: string): Promise<Buffer> {
  const { createServer: createTcp } = await import('node:net');
  return new Promise((resolve) => {
    const server = createTcp((socket) => {
      socket.once('data', (chunk: Buffer) => {
        socket.destroy();
        server.close();
        resolve(chunk);
      });
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      connectTls({ host: '127.0.0.1', port, servername }).on('error', () => undefined);
    });
  });
}

test('a hello is understood however it is cut, and never before it is whole', async () => {
  const hello = await helloOf('a.clusters.test');
  expect(readServerName(hello)).toEqual({ kind: 'name', host: 'a.clusters.test' });
  for (let length = 0; length < hello.length; length++) {
    expect(['more', 'name']).toContain(readServerName(hello.subarray(0, length)).kind);
  }
});

test('damaged hellos never throw', async () => {
  const hello = await helloOf('a.clusters.test');
  for (let at = 0; at < hello.length; at++) {
    const damaged = Buffer.from(hello);
    damaged[at] = 255 - (damaged[at] ?? 0);
    expect(() => readServerName(damaged)).not.toThrow();
  }
});
