/** A small language for what YAML a Talos machine decodes: unknown keys and wrong types are errors, as on the node. */

export interface Minor {
  readonly major: number;
  readonly minor: number;
}

export type Shape =
  | 'any'
  | 'string'
  | 'bool'
  | 'int'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Fields }
  /** Only decoded by this minor of Talos 1 and later. */
  | { readonly since: number; readonly shape: Shape };

export type Fields = Readonly<Record<string, Shape>>;

export const strings: Shape = { list: 'string' };
export const stringMap: Shape = { map: 'string' };
export const anyMap: Shape = { map: 'any' };

export function struct(fields: Fields): Shape {
  return { fields };
}

export function since(minor: number, shape: Shape): Shape {
  return { since: minor, shape };
}

export interface ShapeProblems {
  /** Dotted paths. */
  readonly unknown: string[];
  readonly wrong: string[];
}

export function checkShape(
  value: unknown,
  shape: Shape,
  minor: number,
  path: string,
  out: ShapeProblems,
): void {
  if (value === null || value === undefined || shape === 'any') {
    return;
  }
  if (typeof shape === 'string') {
    return checkScalar(value, shape, path, out);
  }
  if ('since' in shape) {
    if (minor < shape.since) {
      out.unknown.push(path);
    } else {
      checkShape(value, shape.shape, minor, path, out);
    }
    return;
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) {
      return void out.wrong.push(`${path}: cannot unmarshal into a list`);
    }
    value.forEach((item, index) => checkShape(item, shape.list, minor, `${path}[${index}]`, out));
    return;
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return void out.wrong.push(`${path}: cannot unmarshal into a mapping`);
  }
  for (const [key, item] of Object.entries(value)) {
    const below = path === '' ? key : `${path}.${key}`;
    if ('map' in shape) {
      checkShape(item, shape.map, minor, below, out);
    } else if (!Object.hasOwn(shape.fields, key)) {
      out.unknown.push(below);
    } else {
      checkShape(item, shape.fields[key] ?? 'any', minor, below, out);
    }
  }
}

function checkScalar(
  value: unknown,
  shape: 'string' | 'bool' | 'int',
  path: string,
  out: ShapeProblems,
): void {
  if (typeof value === 'object') {
    return void out.wrong.push(`${path}: cannot unmarshal into ${shape}`);
  }
  if (shape === 'bool' && typeof value !== 'boolean') {
    out.wrong.push(`${path}: cannot unmarshal into bool`);
  }
  if (shape === 'int' && !Number.isInteger(value)) {
    out.wrong.push(`${path}: cannot unmarshal into int`);
  }
}
