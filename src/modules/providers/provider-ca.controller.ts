import { Controller } from '@nestjs/common';
import { declareRoute, Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { z } from 'zod';
import { ProviderCa } from './provider-ca';

const getProviderCa = declareRoute({
  id: 'getProviderCa',
  method: 'GET',
  path: 'provider-ca',
  tag: 'Providers',
  summary: 'Root certificate of the door for provider agents',
  description: 'PEM. Agents verify the server by it when they register.',
  access: 'public',
  status: 200,
  response: z.string().meta({ description: 'PEM' }),
  contentType: 'application/x-pem-file',
});

@Controller()
export class ProviderCaController {
  constructor(private readonly ca: ProviderCa) {}

  @Route(getProviderCa)
  get(@Checked() _call: Call<typeof getProviderCa>): Promise<ResponseOf<typeof getProviderCa>> {
    return this.ca.caPem();
  }
}
