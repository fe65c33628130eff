import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { createCipheriv, randomBytes } from 'node:crypto';
import { ClusterService, type ClusterServer } from '../../generated/proto/talos/discovery/discovery';
import { GrpcDiscovery } from './grpc-discovery';

const secret = randomBytes(32).toString('base64');

function published(nodeId: string, hostname: string): Buffer {
  const plain = new BinaryWriter()
    .uint32(10)
    .string(nodeId)
    .uint32(18)
    .bytes(Buffer.of(10, 0, 0, 1))
    .uint32(26)
    .string(hostname)
    .finish();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(secret, 'base64'), nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

describe('GrpcDiscovery', () => {
  const servers: Server[] = [];
  afterEach(() => servers.splice(0).forEach((s) => s.forceShutdown()));

  async function service(redirectTo?: () => string) {
    const affiliates = new Map<string, Buffer>();
    const server = new Server();
    servers.push(server);
    const unused = (_: unknown, done: (error: { code: status }) => void) =>
      done({ code: status.UNIMPLEMENTED });
    const implementation: ClusterServer = {
      hello: (_call, done) => {
        const redirect = redirectTo === undefined ? undefined : { endpoint: redirectTo() };
        done(null, { redirect, clientIp: Buffer.alloc(0) });
      },
      list: (_call, done) =>
        done(null, { affiliates: [...affiliates].map(([id, data]) => ({ id, data, endpoints: [] })) }),
      affiliateDelete: ({ request }, done) => {
        affiliates.delete(request.affiliateId);
        done(null, {});
      },
      affiliateUpdate: unused,
    };
    server.addService(ClusterService, implementation);
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    return {
      affiliates,
      port,
      discovery: new GrpcDiscovery({ url: `http://127.0.0.1:${port}/`, timeoutMs: 3000 }),
    };
  }

  it('lists what machines published, also what it cannot read', async () => {
    const { affiliates, discovery } = await service();
    affiliates.set('n1', published('n1', 'cp-1'));
    affiliates.set('junk', Buffer.from('junk'));
    affiliates.set('empty', Buffer.alloc(0));
    expect(await discovery.list('id', secret)).toEqual([
      { id: 'n1', nodeId: 'n1', hostname: 'cp-1' },
      { id: 'junk', nodeId: 'junk' },
      { id: 'empty', nodeId: 'empty' },
    ]);
  });

  it('deletes, twice if need be', async () => {
    const { affiliates, discovery } = await service();
    affiliates.set('n1', published('n1', 'cp-1'));
    await discovery.delete('id', 'n1');
    await discovery.delete('id', 'n1');
    expect(affiliates.size).toBe(0);
  });

  it('goes where it is sent', async () => {
    const real = await service();
    real.affiliates.set('n1', published('n1', 'cp-1'));
    const { discovery } = await service(() => `127.0.0.1:${real.port}`);
    expect(await discovery.list('id', secret)).toHaveLength(1);
  });

  it('gives up on a circle, and on silence', async () => {
    const circle: { port: number; discovery: GrpcDiscovery } = await service(
      () => `127.0.0.1:${circle.port}`,
    );
    await expect(circle.discovery.list('id', secret)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'DISCOVERY_UNAVAILABLE',
    });
    const nobody = new GrpcDiscovery({ url: 'http://127.0.0.1:1/', timeoutMs: 1000 });
    await expect(nobody.list('id', secret)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'DISCOVERY_UNAVAILABLE',
    });
  });
});
