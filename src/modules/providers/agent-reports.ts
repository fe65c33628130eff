import { Injectable } from '@nestjs/common';
import { checkProviderPatches, type ProviderPatchText } from '../../domain/provider/check-provider-patches';
import { judgeInventory, type InventoryItem } from '../../domain/provider/judge-inventory';
import { judgeMachineClaim, type ClaimRefusal } from '../../domain/provider/judge-machine-claim';
import { judgeReport } from '../../domain/provider/judge-report';
import { planRetry } from '../../domain/provider/plan-retry';
import { actionOfPhase, type ReportKind } from '../../domain/provider/request-phases';
import type { RequestPhase } from '../../domain/planner/cluster-snapshot';
import { DomainError } from '../../domain/shared/errors';
import { AuditLog } from '../tenancy/audit-log';
import { Outbox } from '../tenancy/outbox';
import { TenantUnitOfWork, type TenantTx } from '../tenancy/tenant-unit-of-work';
import { leaseStale, requestNotFound } from './agent-work';
import {
  MachineRequestRepository,
  type HeldRequest,
  type ProgressStep,
  type RequestRow,
} from './machine-request.repository';
import type { AgentCall } from './provider-agent';
import { ProviderMachineRepository } from './provider-machine.repository';

/** Inventories that cross each other within this do not count twice. */
const INVENTORY_SETTLE_MS = 30_000;

export interface Held {
  readonly requestId: string;
  readonly fencingToken: bigint;
}

export interface FailureReport {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number;
}

/** What agents tell. Each report is one transaction, counts only with the current lease, and is safe to repeat. */
@Injectable()
export class AgentReports {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly requests: MachineRequestRepository,
    private readonly machines: ProviderMachineRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  progress(call: AgentCall, held: Held, step: ProgressStep, machineRef: string | null): Promise<void> {
    return this.report(call, held, 'progress', async ({ tx, holder, phase }) => {
      const refusal = machineRef === null ? undefined : await this.judgeRef(tx, holder, machineRef);
      if (refusal !== undefined) {
        return this.disputed(tx, call, holder, refusal);
      }
      return this.requests.recordProgress(tx, holder, phase, step, machineRef);
    });
  }

  provisioned(
    call: AgentCall,
    held: Held,
    item: InventoryItem,
    patches: readonly ProviderPatchText[],
  ): Promise<void> {
    const { ref, machineId } = item;
    const isSame = (request: RequestRow): boolean =>
      request.machineRef === ref && request.machineId === machineId;
    const write = async ({ tx, holder, request }: CountingReport): Promise<boolean | DomainError> => {
      const { providerId, requestId } = holder;
      const known = await this.machines.findKnown(tx, providerId, { ref, machineId });
      const otherRequestWithRef = await this.requests.isRefTaken(tx, holder, ref);
      const refusal = judgeMachineClaim({
        requestId,
        providerId,
        machine: { ref, machineId },
        known,
        otherRequestWithRef,
      });
      if (refusal !== undefined) {
        return this.disputed(tx, call, holder, refusal);
      }
      const owner = {
        providerId,
        requestId,
        clusterId: request.clusterId,
        requestSetId: request.requestSetId,
      };
      const violations = checkProviderPatches(patches, await this.machines.patchTarget(tx, owner));
      if (violations.length > 0) {
        throw new DomainError(
          'invalid',
          'PATCH_REFUSED',
          'a config patch of the machine may not be applied',
          { violations },
        );
      }
      await this.machines.putForRequest(tx, owner, item, new Date());
      await this.machines.replacePatches(tx, request.clusterId, machineId, patches);
      return this.requests.recordProvisioned(tx, holder, { ref, machineId });
    };
    return this.report(call, held, 'provisioned', write, isSame);
  }

  failure(
    call: AgentCall,
    held: Held,
    { code, message, retryable, retryAfterSeconds }: FailureReport,
  ): Promise<void> {
    return this.report(call, held, 'failure', ({ tx, holder, request, phase }) => {
      const { attempt } = request;
      const retryInMs = planRetry({
        action: actionOfPhase(request.phase),
        attempt,
        retryable,
        retryAfterSeconds,
      });
      return this.requests.recordFailure(tx, holder, phase, { code, message }, retryInMs);
    });
  }

  deprovisioned(call: AgentCall, held: Held): Promise<void> {
    return this.report(call, held, 'deprovisioned', async ({ tx, holder }) => {
      await this.machines.markGone(tx, holder.requestId, new Date());
      return this.requests.recordDeprovisioned(tx, holder);
    });
  }

  inventory({ agent }: AgentCall, items: readonly InventoryItem[]): Promise<void> {
    const { providerId, tenantId } = agent;
    return this.work.run(tenantId, async (tx) => {
      await this.machines.lockInventory(tx, providerId);
      const now = new Date();
      const rows = await this.machines.listForInventory(tx, providerId, items);
      const idsElsewhere = await this.machines.findIdsElsewhere(
        tx,
        providerId,
        items.map((item) => item.machineId),
      );
      const verdict = judgeInventory({ items, rows, idsElsewhere, now, settleMs: INVENTORY_SETTLE_MS });
      for (const clusterId of await this.machines.recordInventory(tx, providerId, verdict, now)) {
        await this.outbox.append(tx, {
          kind: 'Machine',
          objectId: providerId,
          change: 'updated',
          hintKey: `cluster:${clusterId}`,
        });
      }
    });
  }

  /**
   * `write` answers false when the lease was lost meanwhile, or the refusal that is to be kept and then told. `isSame`:
   * whether what is told again is what was told.
   */
  private async report(
    { agent }: AgentCall,
    held: Held,
    kind: ReportKind,
    write: (report: CountingReport) => Promise<boolean | DomainError>,
    isSame: (request: RequestRow) => boolean = () => true,
  ): Promise<void> {
    const { providerId, agentId, tenantId } = agent;
    const refusal = await this.work.run(tenantId, async (tx) => {
      const request = await this.requests.findForReport(tx, providerId, held.requestId);
      if (request === undefined) {
        throw requestNotFound();
      }
      const verdict = judgeReport(request, { agentId, fencingToken: held.fencingToken }, kind);
      if (verdict.is === 'repeated' && isSame(request)) {
        return undefined;
      }
      if (verdict.is === 'misplaced') {
        throw new DomainError(
          'refused',
          'REPORT_MISPLACED',
          `a report of this kind does not fit a request that is ${request.phase}`,
        );
      }
      const holder = { providerId, agentId, ...held };
      const written = verdict.is === 'counts' && (await write({ tx, holder, request, phase: verdict.phase }));
      if (written === false) {
        throw leaseStale();
      }
      if (written !== true) {
        return written;
      }
      await this.outbox.append(tx, {
        kind: 'MachineRequest',
        objectId: request.id,
        change: 'updated',
        hintKey: `cluster:${request.clusterId}`,
      });
      return undefined;
    });
    if (refusal !== undefined) {
      throw refusal;
    }
  }

  /** A reference that is kept is what will be destroyed in the end, so it must be free as the machine itself. */
  private async judgeRef(tx: TenantTx, holder: HeldRequest, ref: string): Promise<ClaimRefusal | undefined> {
    const { requestId, providerId } = holder;
    const known = await this.machines.findByRef(tx, providerId, ref);
    const otherRequestWithRef = await this.requests.isRefTaken(tx, holder, ref);
    const machine = { ref, machineId: known[0]?.machineId ?? '' };
    return judgeMachineClaim({ requestId, providerId, machine, known, otherRequestWithRef });
  }

  /** A provider that claims what belongs to another request is broken or worse: it is written down. */
  private async disputed(
    tx: TenantTx,
    { agent, callId }: AgentCall,
    { requestId }: HeldRequest,
    code: string,
  ): Promise<DomainError> {
    const object = `machine-request/${requestId}`;
    await this.audit.append(tx, {
      actor: `agent:${agent.agentName}`,
      action: 'machine.claim',
      object,
      outcome: 'denied',
      requestId: callId,
      detail: { code },
    });
    return new DomainError(
      'already-exists',
      code,
      'the machine belongs to something else; nothing was changed',
    );
  }
}

interface CountingReport {
  readonly tx: TenantTx;
  readonly holder: HeldRequest;
  readonly request: RequestRow;
  /** The phase that the report leads to. */
  readonly phase: RequestPhase;
}
