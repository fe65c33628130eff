/** `node dist/app/seed.js`: the first rows of an installation. SEED_JSON holds the secrets that it is to know. */
import 'reflect-metadata';
import { z } from 'zod';
import { PrismaInstallationStore } from '../infrastructure/prisma/prisma-installation-store';
import { SystemPrisma } from '../infrastructure/prisma/prisma-clients';
import { BootstrapInstallation } from '../modules/tenancy/commands/bootstrap-installation/bootstrap-installation.command';
import { BootstrapInstallationHandler } from '../modules/tenancy/commands/bootstrap-installation/bootstrap-installation.handler';
import { loadSeed } from '../platform/config/seed-input';

async function main(): Promise<void> {
  const { url, seed } = loadSeed(process.env);
  const prisma = new SystemPrisma({ url, poolSize: 1 });
  try {
    await new BootstrapInstallationHandler(new PrismaInstallationStore(prisma)).execute(
      new BootstrapInstallation(seed),
    );
  } finally {
    await prisma.$disconnect();
  }
}

main().catch((error: unknown) => {
  // A ZodError quotes names and never values; other errors are of the database.
  process.stderr.write(
    `seed: ${error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
});
