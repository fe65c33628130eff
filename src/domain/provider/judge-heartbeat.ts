/** Health of a provider by its last heartbeat (behavior table 9): Healthy within 30 s, Degraded to 2 min, Offline after. */

export const PROVIDER_HEALTH = ['Healthy', 'Degraded', 'Offline', 'NeverSeen'] as const;
export type ProviderHealth = (typeof PROVIDER_HEALTH)[number];

const HEALTHY_MS = 30_000;
const DEGRADED_MS = 120_000;

export function judgeHeartbeat(lastHeartbeatAt: Date | null, now: Date): ProviderHealth {
  if (lastHeartbeatAt === null) {
    return 'NeverSeen';
  }
  const age = now.getTime() - lastHeartbeatAt.getTime();
  return age <= HEALTHY_MS ? 'Healthy' : age <= DEGRADED_MS ? 'Degraded' : 'Offline';
}
