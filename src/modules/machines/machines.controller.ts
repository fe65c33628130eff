import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { PageTokens } from '../../platform/http/paging';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { invocationOf } from '../tenancy/invocation-of';
import { CreateMachineClass, DeleteMachineClass } from './commands/machine-class.command';
import {
  createMachineClass,
  deleteMachineClass,
  listMachineClasses,
  listMachines,
  presentMachine,
  presentMachineClass,
} from './machines.schemas';
import { ListMachineClasses, ListMachines } from './queries/machines.query';

@Controller()
export class MachinesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly pages: PageTokens,
  ) {}

  @Route(listMachines)
  async machines(@Checked() call: Call<typeof listMachines>): Promise<ResponseOf<typeof listMachines>> {
    const scope = [call.tenant.id, 'machines'];
    const page = await this.queries.execute(
      new ListMachines(call.tenant.id, this.pages.read(scope, call.query)),
    );
    return this.pages.write(scope, { ...page, items: page.items.map(presentMachine) });
  }

  @Route(listMachineClasses)
  async classes(
    @Checked() call: Call<typeof listMachineClasses>,
  ): Promise<ResponseOf<typeof listMachineClasses>> {
    const scope = [call.tenant.id, 'machine-classes'];
    const page = await this.queries.execute(
      new ListMachineClasses(call.tenant.id, this.pages.read(scope, call.query)),
    );
    return this.pages.write(scope, { ...page, items: page.items.map(presentMachineClass) });
  }

  @Route(createMachineClass)
  async create(
    @Checked() call: Call<typeof createMachineClass>,
  ): Promise<ResponseOf<typeof createMachineClass>> {
    const { name, provider, ...shape } = call.body;
    return presentMachineClass(
      await this.commands.execute(new CreateMachineClass(invocationOf(call), name, provider, shape)),
    );
  }

  @Route(deleteMachineClass)
  async delete(@Checked() call: Call<typeof deleteMachineClass>): Promise<void> {
    await this.commands.execute(new DeleteMachineClass(invocationOf(call), call.params.name));
  }
}
