import { Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/shared/errors';
import { TenantUnitOfWork } from '../tenancy/tenant-unit-of-work';
import {
  MachineRequestRepository,
  type ClaimedRequest,
  type PendingWork,
} from './machine-request.repository';
import type { AgentCall, ProviderAgent } from './provider-agent';
import { ProviderWorkSignal } from './provider-work-signal';

/** Long enough for a machine's API to be slow, short enough that a dead agent is not missed for long. */
export const LEASE_MS = 60_000;
/** A lease that runs out and a back-off that ends signal nobody. */
const LOOK_EVERY_MS = 3_000;

export interface LeaseSettings {
  readonly leaseMs: number;
}

export class AgentLeaseSettings implements LeaseSettings {
  readonly leaseMs: number = LEASE_MS;
}

/** What an agent may do: it asks, it takes a lease, it keeps it. */
@Injectable()
export class AgentWork {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly requests: MachineRequestRepository,
    private readonly signal: ProviderWorkSignal,
    private readonly settings: AgentLeaseSettings,
  ) {}

  /** The same on every clock: how long a lease is from its claim or renewal on. */
  get leaseSeconds(): number {
    return Math.floor(this.settings.leaseMs / 1000);
  }

  /** Answers as soon as there is work, or empty after `waitMs` or when the caller goes away. */
  async poll(
    { agent }: AgentCall,
    limit: number,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<readonly PendingWork[]> {
    const end = performance.now() + waitMs;
    // Subscribed before the first look: what comes in between is not missed.
    const bell = new Bell();
    const unsubscribe = this.signal.subscribe(agent.providerId, () => bell.ring());
    try {
      for (;;) {
        const found = await this.look(agent, limit);
        const left = end - performance.now();
        if (found.length > 0 || left <= 0 || gone.aborted) {
          return found;
        }
        await bell.wait(Math.min(left, LOOK_EVERY_MS), gone);
      }
    } finally {
      unsubscribe();
    }
  }

  private look(agent: ProviderAgent, limit: number): Promise<readonly PendingWork[]> {
    return this.work.run(agent.tenantId, (tx) => this.requests.listClaimable(tx, agent.providerId, limit));
  }

  claim({ agent }: AgentCall, requestId: string): Promise<ClaimedRequest> {
    const { providerId, agentId } = agent;
    return this.work.run(agent.tenantId, async (tx) => {
      const claimed = await this.requests.claim(tx, providerId, requestId, agentId, this.settings.leaseMs);
      if (claimed !== undefined) {
        return claimed;
      }
      if ((await this.requests.find(tx, providerId, requestId)) === undefined) {
        throw requestNotFound();
      }
      throw new DomainError(
        'refused',
        'NOTHING_TO_CLAIM',
        'another agent holds the request, or there is nothing to do for it now',
      );
    });
  }

  renewLease({ agent }: AgentCall, requestId: string, fencingToken: bigint): Promise<Date> {
    const { providerId, agentId } = agent;
    const held = { providerId, requestId, agentId, fencingToken };
    return this.work.run(agent.tenantId, async (tx) => {
      const expiresAt = await this.requests.renewLease(tx, held, this.settings.leaseMs);
      if (expiresAt !== undefined) {
        return expiresAt;
      }
      throw (await this.requests.find(tx, providerId, requestId)) === undefined
        ? requestNotFound()
        : leaseStale();
    });
  }
}

export const leaseStale = (): DomainError =>
  new DomainError(
    'refused',
    'LEASE_STALE',
    'the lease is not held any more: its fencing token is old, or it ran out; stop all work for this request',
  );

/** The same words for a request of another provider and for one that never was. */
export const requestNotFound = (): DomainError =>
  new DomainError('not-found', 'MACHINE_REQUEST_NOT_FOUND', 'there is no such machine request');

/** Remembers a ring that comes while nobody waits. */
class Bell {
  private rung = false;
  private wake: () => void = () => undefined;

  ring(): void {
    this.rung = true;
    this.wake();
  }

  async wait(ms: number, gone: AbortSignal): Promise<void> {
    if (!this.rung && !gone.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        gone.addEventListener('abort', this.wake, { once: true });
      });
      gone.removeEventListener('abort', this.wake);
    }
    this.rung = false;
  }
}
