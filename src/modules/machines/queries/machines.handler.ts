import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Page } from '../../../platform/http/paging';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import {
  MachineClassRepository,
  MachineRepository,
  type MachineClassRow,
  type MachineRow,
} from '../machine.repository';
import { ListMachineClasses, ListMachines } from './machines.query';

@QueryHandler(ListMachines)
export class ListMachinesHandler implements IQueryHandler<ListMachines> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly machines: MachineRepository,
  ) {}

  execute({ tenantId, page }: ListMachines): Promise<Page<MachineRow>> {
    return this.work.run(tenantId, (tx) => this.machines.list(tx, page));
  }
}

@QueryHandler(ListMachineClasses)
export class ListMachineClassesHandler implements IQueryHandler<ListMachineClasses> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly classes: MachineClassRepository,
  ) {}

  execute({ tenantId, page }: ListMachineClasses): Promise<Page<MachineClassRow>> {
    return this.work.run(tenantId, (tx) => this.classes.list(tx, page));
  }
}
