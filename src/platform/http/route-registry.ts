import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { ModulesContainer } from '@nestjs/core';
import { findAccessRow } from '../../domain/access/access-matrix';
import { API_PREFIX, routeOf, type RouteDeclaration } from './route';

/** All declared routes of the running application. It does not start with one that the access matrix does not know. */
@Injectable()
export class RouteRegistry implements OnModuleInit {
  private found: readonly RouteDeclaration[] = [];

  constructor(private readonly modules: ModulesContainer) {}

  get routes(): readonly RouteDeclaration[] {
    return this.found;
  }

  onModuleInit(): void {
    this.found = this.handlers().flatMap((handler) => routeOf(handler) ?? refuseUndeclared(handler));
    const problems = [
      ...duplicates(this.found.map((r) => r.id)),
      ...duplicates(this.found.map((r) => `${r.method} ${r.path}`)),
    ];
    const rowless = this.found
      .filter((r) => r.access !== 'public' && findAccessRow(r.access) === undefined)
      .map((r) => r.id);
    if (problems.length > 0 || rowless.length > 0) {
      throw new Error(
        `routes declared twice: [${problems.join(', ')}]; without a row in the access matrix: [${rowless.join(', ')}]`,
      );
    }
  }

  /** Every controller method that Nest serves. */
  private handlers(): object[] {
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    return controllers.flatMap(({ metatype }) => {
      const prototype = metatype?.prototype as Record<string, unknown> | undefined;
      return prototype === undefined
        ? []
        : Object.getOwnPropertyNames(prototype).flatMap((name) => servedMethod(prototype, name));
    });
  }
}

function servedMethod(prototype: Record<string, unknown>, name: string): object[] {
  const method = name === 'constructor' ? undefined : prototype[name];
  return typeof method === 'function' && Reflect.hasMetadata(PATH_METADATA, method) ? [method] : [];
}

/** Health and metrics live at the root and have no caller; under the API's prefix nothing is served undeclared. */
function refuseUndeclared(handler: object): [] {
  const path = String(Reflect.getMetadata(PATH_METADATA, handler));
  if (path.replace(/^\//, '').startsWith(API_PREFIX)) {
    throw new Error(`route ${path} is not declared: use @Route()`);
  }
  return [];
}

function duplicates(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
