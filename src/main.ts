/** The server: reads the configuration and runs the roles that it names. */
import 'reflect-metadata';
import { AppModule } from './app/app.module';
import { runServer } from './app/main-lifecycle';
import { ConfigError, loadConfig } from './platform/config/config';
import { Metrics } from './platform/metrics/metrics';
import { createFastifyAdapter } from './platform/http/fastify-adapter';

/** Wrong configuration: sysexits' EX_CONFIG, so that a supervisor can tell it from a crash. */
const EX_CONFIG = 78;

async function main(): Promise<void> {
  // The supervisor of the embedded default is gone, however it ended.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  const config = loadConfig(process.env);
  const metrics = new Metrics();
  metrics.collectProcess();
  await runServer({
    config,
    module: AppModule.forRoles(config, metrics),
    adapter: createFastifyAdapter,
    metrics: () => metrics.registry.metrics(),
  });
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`quorate: ${known ? error.message : text}\n`);
  process.exit(known ? EX_CONFIG : 1);
});
