import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Answer } from '../../platform/http/answer';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { operationHeaders } from '../operations/operation-headers';
import { presentOperation, type OperationView } from '../operations/operations.schemas';
import { invocationOf } from '../tenancy/invocation-of';
import { DeleteCluster } from './commands/delete-cluster.command';
import { SyncTemplate } from './commands/sync-template.command';
import { GetTemplateStatus, NameTemplate, PreviewTemplate } from './queries/template.query';
import {
  deleteTemplate,
  presentPreview,
  presentStatus,
  syncTemplate,
  templateStatus,
  validateTemplate,
} from './templates.schemas';

@Controller()
export class TemplatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Route(validateTemplate)
  async validate(
    @Checked() call: Call<typeof validateTemplate>,
  ): Promise<ResponseOf<typeof validateTemplate>> {
    return presentPreview(await this.queries.execute(new PreviewTemplate(call.tenant.id, call.body)));
  }

  @Route(syncTemplate)
  async sync(
    @Checked() call: Call<typeof syncTemplate>,
  ): Promise<Answer<ResponseOf<typeof syncTemplate> | ResponseOf<typeof validateTemplate>>> {
    const allowDowngrade = call.query.allowDowngrade === 'true';
    if (call.query.dryRun !== 'false') {
      const plan = await this.queries.execute(new PreviewTemplate(call.tenant.id, call.body, allowDowngrade));
      return new Answer(presentPreview(plan), { status: 200 });
    }
    const { operation, warnings } = await this.commands.execute(
      new SyncTemplate(invocationOf(call), call.body, allowDowngrade),
    );
    const body = { ...presentOperation(operation), warnings: [...warnings] };
    return new Answer(body, { headers: operationHeaders(call.tenant, operation) });
  }

  @Route(templateStatus)
  async status(@Checked() call: Call<typeof templateStatus>): Promise<ResponseOf<typeof templateStatus>> {
    return presentStatus(await this.queries.execute(new GetTemplateStatus(call.tenant.id, call.body)));
  }

  @Route(deleteTemplate)
  async delete(@Checked() call: Call<typeof deleteTemplate>): Promise<Answer<OperationView>> {
    const name = await this.queries.execute(new NameTemplate(call.body));
    const operation = await this.commands.execute(new DeleteCluster(invocationOf(call), name, undefined));
    return new Answer(presentOperation(operation), { headers: operationHeaders(call.tenant, operation) });
  }
}
