import { Command } from '@nestjs/cqrs';

export interface InstallationSeed {
  /** Plaintext of the token of the first platform admin. */
  readonly operatorToken: string;
  /** Plaintext of the demo tenant's admin token. */
  readonly demoToken: string;
  readonly hiddenProviderJoinToken: string;
  readonly demoProviderJoinToken: string;
}

/** Makes a fresh database usable; repeated with the same seed, it changes nothing. */
export class BootstrapInstallation extends Command<void> {
  constructor(readonly seed: InstallationSeed) {
    super();
  }
}
