import type { ClusterSpec } from '../../../domain/cluster/cluster-spec';
import type { Violation } from '../../../domain/shared/errors';

export interface TemplateSource {
  readonly template: string;
  /** Name by which violations call the template. */
  readonly fileName: string;
  /** Files beside the template, by their relative path. The server opens none itself. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Place {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

export interface CompiledTemplate {
  readonly spec: ClusterSpec;
  /** Faults that do not stop it: older spellings, odd counts. */
  readonly warnings: readonly Violation[];
  /** Where a path such as `ControlPlane.managed` stands in the text; its nearest parent when it is not written. */
  readonly locate: (path: string) => Place | undefined;
}

export interface TemplateVerdict {
  readonly violations: readonly Violation[];
  readonly warnings: readonly Violation[];
}

export interface SpecChangeRequest {
  readonly before: ClusterSpec;
  readonly after: CompiledTemplate;
  /** Asked for in words; never honored for a managed cluster. */
  readonly allowDowngrade: boolean;
}

/** The door to the pure rules of templates and versions. */
export abstract class TemplateCompiler {
  /** Throws TEMPLATE_INVALID with every fault of the text. */
  abstract compile(source: TemplateSource): CompiledTemplate;
  abstract checkCreate(compiled: CompiledTemplate): TemplateVerdict;
  abstract checkChange(change: SpecChangeRequest): TemplateVerdict;
}
