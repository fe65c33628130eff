import { Controller, Header } from '@nestjs/common';
import { Route, type ResponseOf } from '../../platform/http/route';
import { ProviderCa } from './provider-ca';
import { getProviderCa } from './providers.schemas';

@Controller()
export class ProviderCaController {
  constructor(private readonly ca: ProviderCa) {}

  @Route(getProviderCa)
  @Header('content-type', getProviderCa.contentType)
  get(): Promise<ResponseOf<typeof getProviderCa>> {
    return this.ca.caPem();
  }
}
