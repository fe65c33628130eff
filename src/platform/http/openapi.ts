/** The OpenAPI 3.1 document, made from the route declarations: what is checked is what is documented. */
import { z } from 'zod';
import { API_PREFIX, type RouteDeclaration } from './route';
import { Problem } from './problem';

type Json = Record<string, unknown>;

export function describeApi(routes: readonly RouteDeclaration[], version: string): Json {
  const schemas = new SchemaBook();
  const problem = schemas.refer(Problem, 'output');
  const paths: Record<string, Json> = {};
  for (const route of [...routes].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const item = (paths[`/${API_PREFIX}/${route.path}`] ??= {});
    item[route.method.toLowerCase()] = describeRoute(route, schemas, problem);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quorate',
      version,
      description: 'Managed Talos control planes for many tenants.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(routes.map((route) => route.tag))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token of a tenant or of the platform.',
        },
      },
      schemas: schemas.all(),
    },
  };
}

function describeRoute(route: RouteDeclaration, schemas: SchemaBook, problem: Json): Json {
  const { id, tag, summary, description, body, access } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(access === 'public' ? { security: [] } : { 'x-access': access }),
    parameters: parameters(route),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.refer(body, 'input') } },
          },
        }),
    responses: responses(route, schemas, problem),
  };
}

function responses(route: RouteDeclaration, schemas: SchemaBook, problem: Json): Json {
  const { status, response, alternatives = {}, contentType = 'application/json' } = route;
  const described = (schema: z.ZodType | undefined): Json => ({
    description: 'As asked.',
    headers: { 'X-Request-Id': { schema: { type: 'string' } } },
    ...(schema === undefined
      ? {}
      : { content: { [contentType]: { schema: schemas.refer(schema, 'output') } } }),
  });
  return {
    ...Object.fromEntries(Object.entries(alternatives).map(([code, schema]) => [code, described(schema)])),
    [status]: described(response),
    default: { description: 'Refused.', content: { 'application/problem+json': { schema: problem } } },
  };
}

function parameters(route: RouteDeclaration): Json[] {
  const headers = [
    ...(route.method === 'POST' && route.access !== 'public'
      ? [header('Idempotency-Key', 'The same key and body have one effect, for 24 hours.')]
      : []),
    ...(route.etag === true ? [header('If-Match', 'The ETag of the version that was read.')] : []),
  ];
  return [...partParameters('path', route.params), ...partParameters('query', route.query), ...headers];
}

const header = (name: string, description: string): Json => ({
  in: 'header',
  name,
  description,
  required: false,
  schema: { type: 'string' },
});

function partParameters(where: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) {
    return [];
  }
  const { properties = {}, required = [] } = toJson(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    in: where,
    name,
    required: required.includes(name),
    schema: property,
  }));
}

function toJson(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
}

/** Schemas with an id become components; each is written once. */
class SchemaBook {
  private readonly components = new Map<string, Json>();

  refer(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $defs = {}, ...json } = toJson(schema, io) as Json & { $defs?: Record<string, Json> };
    for (const [name, definition] of Object.entries($defs)) {
      this.keep(name, definition);
    }
    const id = schema.meta()?.id;
    return id === undefined ? relink(json) : this.keep(id, json);
  }

  all(): Json {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private keep(name: string, { id: _id, ...definition }: Json): Json {
    this.components.set(name, relink(definition));
    return { $ref: `#/components/schemas/${name}` };
  }
}

function relink(json: Json): Json {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}
