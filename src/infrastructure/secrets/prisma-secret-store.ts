import { DomainError } from '../../domain/shared/errors';
import { newId } from '../../platform/ids';
import { SecretStore, type PutOptions } from '../../reconcile/ports/secret-store';
import type { SystemPrisma } from '../prisma/prisma-clients';
import type { WrappingKey } from './envelope';

/** Rows of the platform tenant. Requests have no grant on the table, so this runs as the system login. */
export class PrismaSecretStore extends SecretStore {
  private platformId: string | undefined;

  constructor(
    private readonly prisma: SystemPrisma,
    private readonly key: WrappingKey,
  ) {
    super();
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    const row = await this.prisma.secret.findUnique({ where: await this.byName(name) });
    return row === null ? undefined : this.key.open(row.id, row.keyId, row.envelope);
  }

  async has(name: string): Promise<boolean> {
    const found = await this.prisma.secret.findUnique({
      where: await this.byName(name),
      select: { id: true },
    });
    return found !== null;
  }

  async putIfAbsent(name: string, value: Uint8Array, { clusterId }: PutOptions = {}): Promise<Uint8Array> {
    const id = newId();
    const envelope = new Uint8Array(this.key.seal(id, value));
    const tenantId = await this.platformTenant();
    await this.prisma.secret.createMany({
      data: { id, tenantId, clusterId: clusterId ?? null, name, keyId: this.key.id, envelope },
      skipDuplicates: true,
    });
    const stored = await this.get(name);
    if (stored === undefined) {
      throw new DomainError('stale', 'SECRET_DELETED', 'the secret was deleted while it was being stored');
    }
    return stored;
  }

  async delete(name: string): Promise<void> {
    await this.prisma.secret.deleteMany({ where: { tenantId: await this.platformTenant(), name } });
  }

  private async byName(name: string) {
    return { tenantId_name: { tenantId: await this.platformTenant(), name } };
  }

  /** There is exactly one, and it is never deleted. */
  private async platformTenant(): Promise<string> {
    if (this.platformId === undefined) {
      const platform = await this.prisma.tenant.findFirst({
        where: { kind: 'platform' },
        select: { id: true },
      });
      if (platform === null) {
        const message = 'the installation has no platform tenant yet';
        throw new DomainError('unavailable', 'PLATFORM_TENANT_MISSING', message);
      }
      this.platformId = platform.id;
    }
    return this.platformId;
  }
}
