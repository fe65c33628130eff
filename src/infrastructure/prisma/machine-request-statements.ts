/** SQL of `chooseAction` (src/domain/provider/choose-action.ts); a test walks both through every case. */
import { Prisma } from '../../generated/prisma/client';

export const CLAIMABLE = Prisma.sql`
  (lease_expires_at IS NULL OR lease_expires_at <= now())
  AND CASE WHEN deprovision_requested_at IS NULL
    THEN phase IN ('Pending', 'Claimed', 'Provisioning') OR (phase = 'Failed' AND next_attempt_at <= now())
    ELSE gate_opened_at IS NOT NULL AND phase <> 'Deprovisioned'
      AND (phase <> 'Deprovisioning' OR next_attempt_at IS NULL OR next_attempt_at <= now())
  END`;

export const ACTION = Prisma.sql`CASE WHEN deprovision_requested_at IS NULL THEN 'provision' ELSE 'deprovision' END`;

/** Phases as in `nextPhase`; the attempts of making a machine do not count for destroying it. */
export const CLAIM = Prisma.sql`
  phase = CASE WHEN deprovision_requested_at IS NOT NULL THEN 'Deprovisioning'
               WHEN phase = 'Provisioning' THEN 'Provisioning' ELSE 'Claimed' END,
  attempt = CASE WHEN deprovision_requested_at IS NOT NULL AND phase <> 'Deprovisioning' THEN 1 ELSE attempt + 1 END,
  fencing_token = fencing_token + 1, next_attempt_at = NULL, step = NULL, updated_at = now(), version = version + 1`;

export const inMs = (ms: number): Prisma.Sql => Prisma.sql`now() + ${ms}::float8 * interval '1 millisecond'`;
