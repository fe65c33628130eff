import { Controller } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { getOptions } from './options.schemas';
import { GetOptions } from './queries/get-options.query';

@Controller()
export class OptionsController {
  constructor(private readonly queries: QueryBus) {}

  @Route(getOptions)
  get(@Checked() _call: Call<typeof getOptions>): Promise<ResponseOf<typeof getOptions>> {
    return this.queries.execute(new GetOptions());
  }
}
