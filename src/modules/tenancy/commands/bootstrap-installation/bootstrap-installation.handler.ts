import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { hashToken } from '../../../access/api-token';
import { BootstrapInstallation } from './bootstrap-installation.command';
import { InstallationStore } from './installation-store';

export const PLATFORM_TENANT = 'platform';
export const DEMO_TENANT = 'demo';

@CommandHandler(BootstrapInstallation)
export class BootstrapInstallationHandler implements ICommandHandler<BootstrapInstallation> {
  constructor(private readonly store: InstallationStore) {}

  async execute({ seed }: BootstrapInstallation): Promise<void> {
    const platform = await this.store.ensureTenant({
      name: PLATFORM_TENANT,
      displayName: 'Platform',
      kind: 'platform',
    });
    const demo = await this.store.ensureTenant({ name: DEMO_TENANT, displayName: 'Demo', kind: 'tenant' });
    await this.store.ensureToken(platform, {
      name: 'operator',
      role: 'platform-admin',
      hash: hashToken(seed.operatorToken),
    });
    await this.store.ensureToken(demo, { name: 'admin', role: 'admin', hash: hashToken(seed.demoToken) });
    const hidden = await this.store.ensureProvider(platform, {
      name: 'embedded',
      alias: 'default',
      hidden: true,
    });
    await this.store.ensureJoinToken(platform, hidden, hashToken(seed.hiddenProviderJoinToken));
    const own = await this.store.ensureProvider(demo, { name: 'simulated', alias: null, hidden: false });
    await this.store.ensureJoinToken(demo, own, hashToken(seed.demoProviderJoinToken));
  }
}
