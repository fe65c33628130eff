import { Injectable } from '@nestjs/common';
import { isManaged, type ClusterSpec } from '../../domain/cluster/cluster-spec';
import { SHIPPED_RELEASES } from '../../domain/releases/shipped-releases';
import { DomainError } from '../../domain/shared/errors';
import { parseTemplate } from '../../domain/template/parse-template';
import { checkChange, checkCreate } from '../../domain/version/check-versions';
import { DEFAULT_VERSION_POLICY } from '../../domain/version/version-policy';
import type { VersionContext } from '../../domain/version/version-verdict';
import { Config } from '../../platform/config/config';
import {
  TemplateCompiler,
  type CompiledTemplate,
  type Place,
  type SpecChangeRequest,
  type TemplateSource,
  type TemplateVerdict,
} from './ports/template-compiler';

/** The shipped rules, under the policy of this installation. */
@Injectable()
export class DomainTemplateCompiler extends TemplateCompiler {
  constructor(private readonly config: Config) {
    super();
  }

  compile({ template, fileName, files }: TemplateSource): CompiledTemplate {
    const parsed = parseTemplate({ text: template, fileName, files });
    if (parsed.spec === undefined) {
      throw new DomainError('invalid', 'TEMPLATE_INVALID', 'the template was refused; nothing was changed', {
        violations: parsed.violations,
      });
    }
    return {
      spec: parsed.spec,
      warnings: parsed.warnings,
      locate: (path) => nearest((at) => parsed.locate(at), path),
    };
  }

  checkCreate({ spec, locate }: CompiledTemplate): TemplateVerdict {
    return checkCreate(spec, this.versionContext(spec, locate));
  }

  checkChange({ before, after, allowDowngrade }: SpecChangeRequest): TemplateVerdict {
    return checkChange(
      { from: before, to: after.spec, allowDowngrade },
      this.versionContext(after.spec, after.locate),
    );
  }

  private versionContext(spec: ClusterSpec, locate: CompiledTemplate['locate']): VersionContext {
    const policy = { ...DEFAULT_VERSION_POLICY, allowPrereleases: this.config.values.ALLOW_PRERELEASES };
    return { catalogue: SHIPPED_RELEASES, policy, managed: isManaged(spec), now: new Date(), locate };
  }
}

/** The path itself, else the closest parent that is written; a managed control plane may be a feature of the Cluster. */
function nearest(locate: (path: string) => Place | undefined, path: string): Place | undefined {
  const steps = path.split('.');
  const parents = steps.map((_, index) => steps.slice(0, steps.length - index).join('.'));
  return [...parents, 'Cluster.features.managedControlPlanes', 'Cluster']
    .map(locate)
    .find((place) => place !== undefined);
}
