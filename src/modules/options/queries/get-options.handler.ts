import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { findMinor } from '../../../domain/releases/release';
import { SHIPPED_RELEASES } from '../../../domain/releases/shipped-releases';
import { SIZE_TIERS } from '../../../domain/tiers/size-tiers';
import { isPrerelease } from '../../../domain/version/parse-version';
import { Config } from '../../../platform/config/config';
import type { ResponseOf } from '../../../platform/http/route';
import { ManagedCatalogue } from '../../clusters/ports/managed-catalogue';
import type { getOptions } from '../options.schemas';
import { GetOptions } from './get-options.query';

@QueryHandler(GetOptions)
export class GetOptionsHandler implements IQueryHandler<GetOptions> {
  constructor(
    private readonly config: Config,
    private readonly catalogue: ManagedCatalogue,
  ) {}

  async execute(): Promise<ResponseOf<typeof getOptions>> {
    const { MANAGED_CONTROL_PLANES, ALLOW_PRERELEASES } = this.config.values;
    const offered = SHIPPED_RELEASES.releases.filter(
      ({ version, withdrawn }) => withdrawn === undefined && (ALLOW_PRERELEASES || !isPrerelease(version)),
    );
    return {
      managedControlPlanes: MANAGED_CONTROL_PLANES,
      providers: MANAGED_CONTROL_PLANES ? [...(await this.catalogue.aliases())] : [],
      sizes: SIZE_TIERS.map(({ name, machines, shape }) => ({ name, machines, ...shape })),
      talosVersions: offered.flatMap(({ version }) => {
        const range = findMinor(SHIPPED_RELEASES, version)?.kubernetes;
        return range === undefined ? [] : [{ version, kubernetes: { min: range.min, max: range.max } }];
      }),
    };
  }
}
