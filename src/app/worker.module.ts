/** The worker role: reconciles clusters, relays the outbox, sweeps what is due. */
import { Inject, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { connectQueues, type QueueConnection } from '../infrastructure/bullmq/queue-connection';
import { BullmqReconcileQueue } from '../infrastructure/bullmq/bullmq-reconcile-queue';
import { GrpcDiscovery } from '../infrastructure/discovery/grpc-discovery';
import { PrismaClusterStore } from '../infrastructure/prisma/prisma-cluster-store';
import { OutboxRelay } from '../infrastructure/prisma/outbox-relay';
import { SystemPrisma } from '../infrastructure/prisma/prisma-clients';
import { PrismaFencedWrites } from '../infrastructure/prisma/reconcile-fenced-writes';
import { ReconcileLeader } from '../infrastructure/prisma/reconcile-leader';
import { PgLeaseStore } from '../infrastructure/prisma/reconcile-leases';
import { ReconcilePool } from '../infrastructure/prisma/reconcile-pool';
import { PgStepJournal } from '../infrastructure/prisma/step-journal-store';
import { RsaKeyPool } from '../infrastructure/pki/rsa-key-pool';
import { GrpcTalosMachines } from '../infrastructure/talos/grpc-talos-machines';
import { Config } from '../platform/config/config';
import { HealthRegistry } from '../platform/health/health-registry';
import { newId } from '../platform/ids';
import { Lifecycle } from '../platform/lifecycle/lifecycle';
import { createJsonLogger, type JsonLogger } from '../platform/logging/json-logger';
import { Metrics } from '../platform/metrics/metrics';
import { ClusterReconciler } from '../reconcile/cluster/cluster-reconciler';
import { ClusterSecrets } from '../reconcile/ports/cluster-secrets';
import { LOOP_DEFAULTS, ReconcileLoop } from '../reconcile/runtime/reconcile-loop';
import { ReconcileWorker } from '../reconcile/runtime/reconcile-worker';

const QUEUES = Symbol('queue connection');
const now = (): Date => new Date();
const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));

const providers: Provider[] = [
  {
    provide: QUEUES,
    inject: [Config],
    useFactory: ({ values }: Config) =>
      connectQueues({
        queueUrl: values.QUEUE_URL,
        systemUrl: values.DATABASE_SYSTEM_URL,
        poolSize: values.DATABASE_POOL,
      }),
  },
  {
    provide: ReconcilePool,
    inject: [Config],
    useFactory: ({ values }: Config) =>
      new ReconcilePool({ url: values.DATABASE_SYSTEM_URL, poolSize: values.DATABASE_POOL }),
  },
  { provide: GrpcTalosMachines, useFactory: () => new GrpcTalosMachines({ now }) },
];

@Module({ providers })
export class WorkerModule implements OnModuleInit {
  private readonly log: JsonLogger;

  constructor(
    @Inject(Config) private readonly config: Config,
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle,
    @Inject(HealthRegistry) private readonly health: HealthRegistry,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(SystemPrisma) private readonly prisma: SystemPrisma,
    @Inject(ClusterSecrets) private readonly secrets: ClusterSecrets,
    @Inject(QUEUES) private readonly queues: QueueConnection,
    @Inject(ReconcilePool) private readonly pool: ReconcilePool,
    @Inject(GrpcTalosMachines) private readonly talos: GrpcTalosMachines,
    @Inject(RsaKeyPool) private readonly keys: RsaKeyPool,
  ) {
    this.log = createJsonLogger({ level: config.values.LOG_LEVEL });
  }

  onModuleInit(): void {
    const { WORKER_CONCURRENCY: concurrency, DATABASE_SYSTEM_URL: url } = this.config.values;
    const { log, metrics } = this;
    const queue = new BullmqReconcileQueue(this.queues, { concurrency: concurrency * 2, log });
    const leases = new PgLeaseStore(this.pool);
    const loop = new ReconcileLoop(
      {
        reconciler: this.reconciler(),
        leases,
        journal: new PgStepJournal(this.pool),
        queue,
        metrics,
        log,
        now,
        jitter: Math.random,
      },
      { owner: newId(), ...LOOP_DEFAULTS },
    );
    const worker = new ReconcileWorker({ queue, leases, loop, log }, concurrency);
    const leader = new ReconcileLeader({ url, log }, new OutboxRelay({ queue, metrics, log }));
    metrics.readGauge(
      'service_account_keys_ready',
      'Service-account keys that are ready to be taken.',
      () => this.keys.available,
    );
    this.health.register('queue', () => queue.ping());
    this.lifecycle.register({
      name: 'relay',
      stage: 'relay',
      start: () => leader.start(),
      stop: () => leader.stop(),
    });
    this.lifecycle.register({
      name: 'reconciler',
      stage: 'workers',
      start: async () => {
        this.keys.start();
        await worker.start();
      },
      stop: async () => {
        await worker.stop();
        this.talos.close();
      },
    });
    this.lifecycle.register({
      name: 'reconcile connections',
      stage: 'database',
      stop: () => this.pool.end(),
    });
  }

  private reconciler(): ClusterReconciler {
    const { KUBE_GATEWAY_ADDRESS, DISCOVERY_URL } = this.config.values;
    return new ClusterReconciler({
      store: new PrismaClusterStore(this.prisma, new PrismaFencedWrites(this.prisma)),
      secrets: this.secrets,
      talos: this.talos,
      discovery: new GrpcDiscovery({ url: DISCOVERY_URL }),
      around: { gatewayPort: portOf(KUBE_GATEWAY_ADDRESS), discoveryUrl: DISCOVERY_URL },
      now,
    });
  }
}
