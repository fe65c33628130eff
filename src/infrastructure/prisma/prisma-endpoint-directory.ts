import type { MachineFacts } from '../../domain/machine/machine-facts';
import { EndpointDirectory } from '../../gateways/kube/endpoint-directory';
import type { SystemPrisma } from './prisma-clients';

/** A name is looked up at most this often per process; machines change rarely and a dead one is skipped by dialling. */
const CACHE_MS = 2_000;
const CACHE_SIZE = 5_000;

interface Entry {
  readonly endpoints: Promise<readonly string[]>;
  readonly expiresAt: number;
}

export class PrismaEndpointDirectory extends EndpointDirectory {
  private readonly cache = new Map<string, Entry>();

  constructor(
    private readonly prisma: SystemPrisma,
    private readonly now: () => number = () => performance.now(),
  ) {
    super();
  }

  resolve(endpointHost: string): Promise<readonly string[]> {
    const cached = this.cache.get(endpointHost);
    if (cached !== undefined && cached.expiresAt > this.now()) {
      return cached.endpoints;
    }
    const endpoints = this.look(endpointHost);
    if (this.cache.size >= CACHE_SIZE) {
      this.cache.clear();
    }
    this.cache.set(endpointHost, { endpoints, expiresAt: this.now() + CACHE_MS });
    endpoints.catch(() => this.cache.delete(endpointHost));
    return endpoints;
  }

  private async look(endpointHost: string): Promise<readonly string[]> {
    const cluster = await this.prisma.cluster.findUnique({ where: { endpointHost }, select: { id: true } });
    if (cluster === null) {
      return [];
    }
    const sets = await this.prisma.machineSet.findMany({
      where: { clusterId: cluster.id, role: 'control-plane' },
      select: { id: true },
    });
    const machines = await this.prisma.machine.findMany({
      where: {
        clusterId: cluster.id,
        machineSetId: { in: sets.map((s) => s.id) },
        goneAt: null,
        configAppliedAt: { not: null },
      },
      select: { kubernetesEndpoint: true, facts: true },
      orderBy: { id: 'asc' },
    });
    const answers = (m: { facts: unknown }): boolean =>
      (m.facts as Partial<MachineFacts>).kubernetesReady === true;
    return [...machines.filter(answers), ...machines.filter((m) => !answers(m))].map(
      (m) => m.kubernetesEndpoint,
    );
  }
}
