/** The two logins of the database; which one a class asks for says whose rows it can see. */
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../generated/prisma/client';

interface Options {
  readonly url: string;
  readonly poolSize: number;
}

/** Prisma writes times without an offset and drops the one it reads: both are right in UTC and nowhere else. */
const IN_UTC = '-c TimeZone=UTC';
const adapter = ({ url, poolSize }: Options) =>
  new PrismaPg({ connectionString: url, max: poolSize, application_name: 'quorate', options: IN_UTC });
const transactionOptions = { maxWait: 10_000, timeout: 20_000 };

/** Role quorate_app: row-level security decides. Only the tenant unit of work uses it. */
export class AppPrisma extends PrismaClient {
  constructor(options: Options) {
    super({ adapter: adapter(options), transactionOptions });
  }
}

/** Role quorate_system: all tenants. For the reconcile runtime, the relay, sweeps and token look-up only. */
export class SystemPrisma extends PrismaClient {
  constructor(options: Options) {
    super({ adapter: adapter(options), transactionOptions });
  }
}
