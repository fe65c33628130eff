/** Makes a switch over a closed set exhaustive: a new member does not compile until every switch knows it. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
