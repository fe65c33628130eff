import { Module } from '@nestjs/common';
import { CreateMachineClassHandler, DeleteMachineClassHandler } from './commands/machine-class.handler';
import { MachinesController } from './machines.controller';
import { ListMachineClassesHandler, ListMachinesHandler } from './queries/machines.handler';

@Module({
  controllers: [MachinesController],
  providers: [
    CreateMachineClassHandler,
    DeleteMachineClassHandler,
    ListMachinesHandler,
    ListMachineClassesHandler,
  ],
})
export class MachinesModule {}
