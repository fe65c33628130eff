import { Query } from '@nestjs/cqrs';
import type { Page, PageRequest } from '../../../platform/http/paging';
import type { MachineClassRow, MachineRow } from '../machine.repository';

export class ListMachines extends Query<Page<MachineRow>> {
  constructor(
    readonly tenantId: string,
    readonly page: PageRequest,
  ) {
    super();
  }
}

export class ListMachineClasses extends Query<Page<MachineClassRow>> {
  constructor(
    readonly tenantId: string,
    readonly page: PageRequest,
  ) {
    super();
  }
}
