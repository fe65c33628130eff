import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { describeApi } from './openapi';
import { Route, declareRoute } from './route';
import { RouteRegistry } from './route-registry';

export const API_VERSION = '0.1.0';

const getOpenApi = declareRoute({
  id: 'getOpenApi',
  method: 'GET',
  path: 'openapi.json',
  tag: 'Options',
  summary: 'This document',
  access: 'public',
  status: 200,
  response: z.looseObject({ openapi: z.string() }),
});

@Controller()
export class OpenApiController {
  private document: Record<string, unknown> | undefined;

  constructor(private readonly registry: RouteRegistry) {}

  @Route(getOpenApi)
  get(): Record<string, unknown> {
    this.document ??= describeApi(this.registry.routes, API_VERSION);
    return this.document;
  }
}
