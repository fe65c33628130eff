import { Command } from '@nestjs/cqrs';
import type { MachineShape } from '../../../domain/tiers/size-tiers';
import type { Invocation } from '../../tenancy/invocation';
import type { MachineClassRow } from '../machine.repository';

export class CreateMachineClass extends Command<MachineClassRow> {
  constructor(
    readonly invocation: Invocation,
    readonly name: string,
    /** Name of one of the tenant's own providers. */
    readonly provider: string,
    readonly shape: MachineShape,
  ) {
    super();
  }
}

export class DeleteMachineClass extends Command<void> {
  constructor(
    readonly invocation: Invocation,
    readonly name: string,
  ) {
    super();
  }
}
