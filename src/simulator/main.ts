/** The simulated data centre as a process of its own: its machines outlive the server and its agents. */
import { ETCD_CHOICES, type EtcdChoice } from './etcd/choose-engine';
import { SimulatedDataCenter, type DataCenterOptions } from './simulated-data-center';

function port(name: string): number {
  const value = Number(process.env[name] ?? 0);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new Error(`${name} is not a port`);
  }
  return value;
}

function readOptions(): DataCenterOptions {
  const { SIMULATOR_STATE_DIR, SIMULATOR_TOKEN, SIMULATOR_HOST, SIMULATOR_LATENCY_MS, ETCD_BIN } =
    process.env;
  const etcd = (process.env.SIMULATOR_ETCD ?? 'auto') as EtcdChoice;
  const latencyMs = Number(SIMULATOR_LATENCY_MS ?? 300);
  if (!SIMULATOR_STATE_DIR) {
    throw new Error('SIMULATOR_STATE_DIR is not set');
  }
  if (!SIMULATOR_TOKEN) {
    throw new Error('SIMULATOR_TOKEN is not set');
  }
  if (!ETCD_CHOICES.includes(etcd)) {
    throw new Error(`SIMULATOR_ETCD must be one of ${ETCD_CHOICES.join(', ')}`);
  }
  if (!(latencyMs >= 0)) {
    throw new Error('SIMULATOR_LATENCY_MS is not a number of milliseconds');
  }
  return {
    stateDir: SIMULATOR_STATE_DIR,
    token: SIMULATOR_TOKEN,
    ...(SIMULATOR_HOST === undefined ? {} : { host: SIMULATOR_HOST }),
    port: port('SIMULATOR_PORT'),
    discoveryPort: port('SIMULATOR_DISCOVERY_PORT'),
    etcd,
    ...(ETCD_BIN === undefined ? {} : { etcdBinary: ETCD_BIN }),
    latencyMs,
    log: (line) => console.log(`${new Date().toISOString()} ${line}`),
  };
}

async function main(): Promise<void> {
  const dataCenter = new SimulatedDataCenter(readOptions());
  let stopping = false;
  const stop = (): void => {
    if (stopping) {
      return;
    }
    stopping = true;
    dataCenter.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error('simulator: could not stop cleanly:', error);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, stop);
  }
  if (process.channel !== undefined) {
    process.once('disconnect', stop);
  }
  await dataCenter.start();
  const { etcd, discoveryEndpoint, machines } = dataCenter.info();
  console.log(
    `simulator: ${dataCenter.url}, ${etcd} etcd, discovery ${discoveryEndpoint}, ${machines} machines (simulated)`,
  );
}

main().catch((error: unknown) => {
  console.error(`simulator: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
