import { Controller, Header } from '@nestjs/common';
import { z } from 'zod';
import { declareRoute, Route, type ResponseOf } from '../../platform/http/route';
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
  @Header('content-type', getProviderCa.contentType)
  get(): Promise<ResponseOf<typeof getProviderCa>> {
    return this.ca.caPem();
  }
}
