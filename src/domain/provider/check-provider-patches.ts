/** What a provider may put into the config of a machine it made: what the owner of the provider could put there himself. */
import { checkPatch } from '../patch/check-patch';
import type { PatchTarget } from '../patch/reserved-fields';
import type { Violation } from '../shared/errors';
import { Report } from '../yaml/report';
import { readYaml } from '../yaml/read-yaml';

/** Above those of tenants, below those of the platform (behavior table 8). */
export const PROVIDER_PATCH_WEIGHT = 600;

export interface ProviderPatchText {
  readonly name: string;
  readonly content: string;
}

export function checkProviderPatches(
  patches: readonly ProviderPatchText[],
  target: PatchTarget,
): readonly Violation[] {
  const report = new Report();
  patches.forEach(({ name, content }, index) => {
    const documents = readYaml({ text: content, file: name }, report);
    checkPatch(
      documents,
      { ...target, path: `patches[${index}].content_yaml`, at: { file: name, line: 1, column: 1 } },
      report,
    );
  });
  return report.violations;
}
