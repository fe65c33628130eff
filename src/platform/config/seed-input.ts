/** What the seed command is told by its environment. */
import { z } from 'zod';

const secret = z.string().min(16);

const Environment = z.object({
  DATABASE_SYSTEM_URL: z.string(),
  SEED_JSON: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(
      z.strictObject({
        operatorToken: secret,
        demoToken: secret,
        hiddenProviderJoinToken: secret,
        demoProviderJoinToken: secret,
      }),
    ),
});

export interface SeedInput {
  readonly url: string;
  readonly seed: z.output<typeof Environment>['SEED_JSON'];
}

export function loadSeed(env: NodeJS.ProcessEnv): SeedInput {
  const { DATABASE_SYSTEM_URL: url, SEED_JSON: seed } = Environment.parse(env);
  return { url, seed };
}
