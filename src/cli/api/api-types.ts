/** The answers of the REST API as far as the commands read them; the server may send more. */

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface Cluster {
  readonly id: string;
  readonly name: string;
  readonly managed: boolean;
  readonly size: string | null;
  readonly talosVersion: string;
  readonly kubernetesVersion: string;
  readonly state: string;
  readonly conditions: readonly Condition[];
  readonly endpoint: string;
  readonly createdAt: string;
  readonly deleteRequestedAt: string | null;
}

export interface ClusterMachine {
  readonly name: string;
  readonly set: string;
  readonly role: string;
  readonly managed: boolean;
  readonly state: string;
  readonly ready: boolean;
  readonly talosVersion: string | null;
  readonly message: string;
  readonly createdAt: string;
}

export const FINAL_STATES = ['Succeeded', 'Failed', 'Superseded'] as const;

export interface OperationStep {
  readonly name: string;
  readonly state: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly message: string;
}

export interface Operation {
  readonly id: string;
  readonly kind: string;
  readonly state: 'Pending' | 'Running' | (typeof FINAL_STATES)[number];
  readonly cluster: string | null;
  readonly steps: readonly OperationStep[];
  readonly message: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export interface Violation {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly path: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

export interface SyncedTemplate extends Operation {
  readonly warnings: readonly Violation[];
}

export interface SyncPreview {
  readonly cluster: string;
  readonly managed: boolean;
  readonly action: 'create' | 'update' | 'none';
  readonly changes: readonly {
    readonly path: string;
    readonly change: 'added' | 'removed' | 'changed';
    readonly before?: string;
    readonly after?: string;
  }[];
  readonly warnings: readonly Violation[];
}

export interface TemplateStatus {
  readonly cluster: string;
  readonly exists: boolean;
  readonly inSync: boolean;
  readonly status: Cluster | null;
  readonly operation: Operation | null;
}

export interface Explain {
  readonly cluster: string;
  readonly state: string;
  readonly summary: string;
  readonly next: readonly { readonly type: string; readonly target: string; readonly because: string }[];
  readonly waiting: readonly { readonly on: string; readonly message: string }[];
  readonly refused: readonly {
    readonly action: string;
    readonly target: string;
    readonly reason: string;
    readonly arithmetic?: Readonly<Record<string, unknown>>;
  }[];
  readonly conditions: readonly Condition[];
}

export interface Event {
  readonly id: string;
  readonly cluster: string | null;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastAt: string;
}

export interface Machine {
  readonly id: string;
  readonly provider: string;
  readonly cluster: string | null;
  readonly hostname: string | null;
  readonly contact: string;
  readonly stage: string | null;
  readonly talosVersion: string | null;
  readonly firstSeenAt: string;
}

export interface MachineClass {
  readonly name: string;
  readonly provider: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly createdAt: string;
}

export interface Provider {
  readonly name: string;
  readonly health: string;
  readonly lastHeartbeatAt: string | null;
  readonly createdAt: string;
}

export interface Tenant {
  readonly name: string;
  readonly displayName: string;
  readonly createdAt: string;
}

export interface Token {
  readonly name: string;
  readonly role: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface Options {
  readonly managedControlPlanes: boolean;
  readonly providers: readonly string[];
  readonly sizes: readonly {
    readonly name: string;
    readonly machines: number;
    readonly cpus: number;
    readonly memoryBytes: number;
    readonly diskBytes: number;
  }[];
  readonly talosVersions: readonly {
    readonly version: string;
    readonly kubernetes: { readonly min: string; readonly max: string };
  }[];
}
