import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AuditLog } from '../../tenancy/audit-log';
import { Outbox } from '../../tenancy/outbox';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { MachineClassRepository, type MachineClassRow } from '../machine.repository';
import { CreateMachineClass, DeleteMachineClass } from './machine-class.command';

@CommandHandler(CreateMachineClass)
export class CreateMachineClassHandler implements ICommandHandler<CreateMachineClass> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly classes: MachineClassRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  execute({ invocation, name, provider, shape }: CreateMachineClass): Promise<MachineClassRow> {
    return this.work.run(invocation.tenantId, async (tx) => {
      const created = await this.classes.create(tx, { name, provider, shape });
      await this.outbox.append(tx, { kind: 'MachineClass', objectId: created.id, change: 'created' });
      const detail = { provider, ...shape };
      await this.audit.append(tx, {
        ...invocation,
        action: 'machine-class.create',
        object: `machine-class/${name}`,
        outcome: 'allowed',
        detail,
      });
      return created;
    });
  }
}

@CommandHandler(DeleteMachineClass)
export class DeleteMachineClassHandler implements ICommandHandler<DeleteMachineClass> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly classes: MachineClassRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  async execute({ invocation, name }: DeleteMachineClass): Promise<void> {
    await this.work.run(invocation.tenantId, async (tx) => {
      const id = await this.classes.remove(tx, name);
      await this.outbox.append(tx, { kind: 'MachineClass', objectId: id, change: 'deleted' });
      await this.audit.append(tx, {
        ...invocation,
        action: 'machine-class.delete',
        object: `machine-class/${name}`,
        outcome: 'allowed',
      });
    });
  }
}
