import { Injectable } from '@nestjs/common';
import { isManaged, type ClusterSpec } from '../../domain/cluster/cluster-spec';
import { diffClusterSpec, type SpecChange } from '../../domain/cluster/diff-cluster-spec';
import { judgeUnavailableFields } from '../../domain/cluster/judge-unavailable-fields';
import { refuseImmutableChange } from '../../domain/cluster/refuse-immutable-change';
import { refuseUnavailableChange } from '../../domain/cluster/refuse-unavailable-change';
import { DomainError, type Violation } from '../../domain/shared/errors';
import { Config } from '../../platform/config/config';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';
import { ClusterRepository, type ClusterRow } from './cluster.repository';
import { ManagedCatalogue } from './ports/managed-catalogue';
import { TemplateCompiler, type CompiledTemplate, type TemplateSource } from './ports/template-compiler';

export interface SyncPlan {
  readonly spec: ClusterSpec;
  readonly existing: ClusterRow | undefined;
  readonly action: 'create' | 'update' | 'none';
  readonly changes: readonly SpecChange[];
  readonly warnings: readonly Violation[];
}

export interface SyncOptions {
  readonly lock: boolean;
  readonly allowDowngrade: boolean;
}

/** All checks of a sync, in the order in which a person wants to hear of them; writes nothing. */
@Injectable()
export class SyncPlanner {
  constructor(
    private readonly config: Config,
    private readonly compiler: TemplateCompiler,
    private readonly catalogue: ManagedCatalogue,
    private readonly clusters: ClusterRepository,
  ) {}

  /** What needs no cluster: the text itself and what this installation offers. */
  async compile(source: TemplateSource): Promise<CompiledTemplate> {
    const compiled = carriedOut(this.compiler.compile(source));
    if (!isManaged(compiled.spec)) {
      return compiled;
    }
    if (!this.config.values.MANAGED_CONTROL_PLANES) {
      throw new DomainError(
        'refused',
        'MANAGED_CONTROL_PLANES_DISABLED',
        'managed control planes are off in this installation',
        {
          violations: [this.disabled(compiled)],
        },
      );
    }
    const unknown = await this.unknownProvider(compiled);
    if (unknown !== undefined) {
      throw templateInvalid([unknown]);
    }
    return compiled;
  }

  /** `lock` keeps other writers of the same name away until the transaction ends. */
  async plan(tx: TenantTx, compiled: CompiledTemplate, options: SyncOptions): Promise<SyncPlan> {
    const { spec, warnings } = compiled;
    await this.refuseUnknownClasses(tx, compiled);
    const existing = options.lock
      ? await this.clusters.lock(tx, spec.name)
      : await this.clusters.find(tx, spec.name);
    if (existing !== undefined) {
      return this.planChange(tx, compiled, existing, options);
    }
    const verdict = this.compiler.checkCreate(compiled);
    refuse(verdict.violations, templateInvalid);
    return { spec, existing, action: 'create', changes: [], warnings: [...warnings, ...verdict.warnings] };
  }

  private async planChange(
    tx: TenantTx,
    compiled: CompiledTemplate,
    existing: ClusterRow,
    options: SyncOptions,
  ): Promise<SyncPlan> {
    const { spec, warnings } = compiled;
    if (existing.deleteRequestedAt !== null) {
      throw new DomainError(
        'refused',
        'CLUSTER_DELETING',
        `cluster ${spec.name} is being deleted; its name is free when that is done`,
      );
    }
    const before = existing.spec;
    const occupiedSets = await this.clusters.occupiedSets(tx, existing.id);
    const immutable = refuseImmutableChange({ before, after: spec, occupiedSets });
    refuse(
      immutable.map((violation) => ({ ...compiled.locate(violation.path), ...violation })),
      changeRefused,
    );
    // As it will be read back: what JSON leaves out is no change.
    const changes = diffClusterSpec(before, JSON.parse(JSON.stringify(spec)) as ClusterSpec);
    if (changes.length === 0) {
      return { spec, existing, action: 'none', changes, warnings };
    }
    const verdict = this.compiler.checkChange({
      before,
      after: compiled,
      allowDowngrade: options.allowDowngrade,
    });
    refuse(verdict.violations, changeRefused);
    const unavailable = refuseUnavailableChange(before, spec);
    refuse(
      unavailable.map((violation) => ({ ...compiled.locate(violation.path), ...violation })),
      changeRefused,
    );
    return { spec, existing, action: 'update', changes, warnings: [...warnings, ...verdict.warnings] };
  }

  private async refuseUnknownClasses(tx: TenantTx, { spec, locate }: CompiledTemplate): Promise<void> {
    const named = [spec.controlPlane, ...spec.workers].flatMap((set) =>
      set.source.kind === 'class' ? [{ set, className: set.source.className }] : [],
    );
    const known = await this.clusters.knownClasses(
      tx,
      named.map(({ className }) => className),
    );
    const unknown = named.filter(({ className }) => !known.has(className));
    const violations = unknown.map(({ set, className }) => {
      const path = `${set.role === 'control-plane' ? 'ControlPlane' : `Workers[${set.name}]`}.machineClass.name`;
      const reason = `there is no machine class ${JSON.stringify(className)}`;
      const remedy = 'Create it first (quorate machine-class create), or name one that exists.';
      return { ...locate(path), path, code: 'MACHINE_CLASS_UNKNOWN', reason, remedy };
    });
    refuse(violations, templateInvalid);
  }

  private disabled(compiled: CompiledTemplate): Violation {
    return {
      ...compiled.locate('ControlPlane.managed'),
      path: 'ControlPlane.managed',
      code: 'MANAGED_CONTROL_PLANES_DISABLED',
      reason: 'managed control planes are off in this installation',
      remedy:
        'Give ControlPlane machines or a machineClass of your own, or ask the operator to turn them on.',
    };
  }

  /** The same words for a provider that does not exist and for one that is hidden behind an alias. */
  private async unknownProvider(compiled: CompiledTemplate): Promise<Violation | undefined> {
    const { source } = compiled.spec.controlPlane;
    const aliases = await this.catalogue.aliases();
    if (source.kind !== 'managed' || aliases.includes(source.provider)) {
      return undefined;
    }
    const path = 'ControlPlane.managed.provider';
    return {
      ...compiled.locate(path),
      path,
      code: 'PROVIDER_UNKNOWN',
      reason: `there is no provider ${JSON.stringify(source.provider)} for managed control planes`,
      remedy:
        aliases.length === 0
          ? 'This installation offers none yet: ask its operator.'
          : `Choose one of: ${aliases.join(', ')}.`,
    };
  }
}

/** What this release would not do must not look as if it did. */
function carriedOut(compiled: CompiledTemplate): CompiledTemplate {
  const { violations, warnings } = judgeUnavailableFields(compiled.spec);
  const placed = (found: readonly Violation[]): Violation[] =>
    found.map((v) => ({ ...compiled.locate(v.path), ...v }));
  refuse(placed(violations), templateInvalid);
  return { ...compiled, warnings: [...compiled.warnings, ...placed(warnings)] };
}

function refuse(
  violations: readonly Violation[],
  toError: (violations: readonly Violation[]) => DomainError,
): void {
  if (violations.length > 0) {
    throw toError(violations);
  }
}

const templateInvalid = (violations: readonly Violation[]): DomainError =>
  new DomainError('invalid', 'TEMPLATE_INVALID', 'the template was refused; nothing was changed', {
    violations,
  });

const changeRefused = (violations: readonly Violation[]): DomainError =>
  new DomainError('refused', 'CHANGE_REFUSED', 'the change was refused; nothing was changed', { violations });
