/** The server: reads the configuration and runs the roles that it names. */
import 'reflect-metadata';
import { register } from 'prom-client';
import { AppModule } from './app/app.module';
import { runServer } from './app/main-lifecycle';
import { ConfigError, loadConfig } from './platform/config/config';

/** Wrong configuration: sysexits' EX_CONFIG, so that a supervisor can tell it from a crash. */
const EX_CONFIG = 78;

async function main(): Promise<void> {
  // The supervisor of the embedded default is gone, however it ended.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  const config = loadConfig(process.env);
  await runServer({ config, module: AppModule.forRoles(config), metrics: () => register.metrics() });
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError;
  process.stderr.write(
    `quorate: ${known ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(known ? EX_CONFIG : 1);
});
