/** The agent of a provider as a process of its own: it reaches the server by its provider contract alone. */
import { SimulatedProvider } from './providers/simulated/simulated-provider';
import { MainOptionsError, readMainOptions } from './read-main-options';
import { Agent } from './sdk/agent';
import { AgentLog } from './sdk/agent-log';

const SOFTWARE_VERSION = '0.1.0';
/** A simulated cloud is asked cheaply, and a person waits for the machine that was just added. */
const INVENTORY_MS = 10_000;
/** Wrong configuration: sysexits' EX_CONFIG, so that a supervisor can tell it from a crash. */
const EX_CONFIG = 78;

function main(): void {
  const options = readMainOptions(process.env);
  const { name, endpoint, site } = options;
  const log = new AgentLog((line) => process.stdout.write(line), { agent: name }, options.logLevel);
  const provider = new SimulatedProvider({
    url: options.simulatorUrl,
    token: options.simulatorToken,
    site,
  });
  const agent = new Agent({
    ...options,
    provider,
    inventoryMs: INVENTORY_MS,
    softwareVersion: SOFTWARE_VERSION,
    log,
  });
  const stop = (): void => {
    log.info('stopping');
    agent.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error('could not stop cleanly', {
          reason: error instanceof Error ? error.message : String(error),
        });
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, stop);
  }
  // The supervisor is gone, however it ended.
  process.once('disconnect', stop);
  log.info('started', { provider: options.provider, endpoint, site });
  agent.start();
}

try {
  main();
} catch (error) {
  const known = error instanceof MainOptionsError;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${known ? error.message : text}\n`);
  process.exitCode = known ? EX_CONFIG : 1;
}
