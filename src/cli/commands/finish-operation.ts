/** After a command that started an operation: wait for it or say how to, then print it. */
import type { Operation } from '../api/api-types';
import { headline } from '../operation/operation-ladder';
import { waitForOperation } from '../operation/wait-for-operation';
import { printOne } from '../output/print-result';
import { operationShape } from '../output/shapes';
import { durationFlag, type Session } from './session';

export interface WaitFlags {
  readonly wait?: boolean;
  readonly timeout: string;
}

export async function finishOperation(session: Session, started: Operation, flags: WaitFlags): Promise<void> {
  const { terminal, api, format } = session;
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const operation =
    flags.wait === true ? await waitForOperation(api, terminal, started, { timeoutMs }) : started;
  await printOne(terminal, format, operation, operationShape(session.now), (o) => `${headline(o)}\n`);
  const hint = nextCommand(operation);
  if (hint !== undefined) {
    terminal.err(`Next: ${hint}\n`);
  }
}

function nextCommand({ state, kind, cluster, id }: Operation): string | undefined {
  if (state !== 'Succeeded') {
    return `quorate operation watch ${id}`;
  }
  return kind === 'delete' || cluster === null
    ? undefined
    : `quorate cluster kubeconfig ${cluster} --file ${cluster}.kubeconfig`;
}
