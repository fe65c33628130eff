import { FakeApiServer, fakeOperation, problem, type Reply } from '../api/api-server.fake';
import type { OperationStep } from '../api/api-types';
import { FakeTerminal } from '../terminal/terminal.fake';

let server: FakeApiServer;
let terminal: FakeTerminal;

const step = (name: string, state: string, message = ''): OperationStep => ({
  name,
  state,
  message,
  startedAt: state === 'pending' ? null : '2026-06-01T12:00:00.000Z',
  finishedAt: state === 'done' ? '2026-06-01T12:00:09.000Z' : null,
});

/** One reply per look, the last one for ever. */
function replies(...list: Reply[]): void {
  let at = 0;
  server.on('GET tenants/acme/operations/op-1', () => list[Math.min(at++, list.length - 1)] ?? {});
}

const running = {
  body: fakeOperation({
    steps: [step('machines', 'running', '1 of 3'), step('bootstrap', 'pending', 'later')],
  }),
};
const succeeded = {
  body: fakeOperation({
    state: 'Succeeded',
    finishedAt: '2026-06-01T12:00:09.000Z',
    steps: [step('machines', 'done'), step('bootstrap', 'done')],
  }),
};

beforeEach(async () => {
  server = await FakeApiServer.start();
  terminal = new FakeTerminal();
  terminal.env = {
    ...terminal.env,
    QUORATE_ENDPOINT: server.url,
    QUORATE_TOKEN: 't',
    QUORATE_TENANT: 'acme',
  };
});

afterEach(async () => {
  terminal.remove();
  await server.stop();
});

test('off a terminal each change is one line, and the result is on stdout', async () => {
  replies(running, running, running, succeeded);
  expect(await terminal.run('operation', 'watch', 'op-1')).toBe(0);
  expect(terminal.stderr).toBe(
    'create shop: Running (operation op-1)\n' +
      '  machines running: 1 of 3\n' +
      '  machines done 9s\n' +
      '  bootstrap done 9s\n' +
      'create shop: Succeeded (operation op-1)\n',
  );
  expect(terminal.stdout).toBe('create shop: Succeeded (operation op-1)\n');
});

test('on a terminal the ladder is drawn over itself, without color when NO_COLOR is set', async () => {
  replies(running, succeeded);
  Object.assign(terminal, { stderrIsTty: true });
  terminal.env['NO_COLOR'] = '1';
  expect(await terminal.run('operation', 'watch', 'op-1')).toBe(0);
  expect(terminal.stderr).toBe(
    'create shop: Running (operation op-1)\n  ● machines     0s  1 of 3\n  ○ bootstrap        later\n' +
      '\u001b[3A\u001b[Jcreate shop: Succeeded (operation op-1)\n  ✓ machines     9s\n  ✓ bootstrap    9s\n',
  );
});

test('a server that is restarted meanwhile is waited for, and said so once', async () => {
  const unavailable = { status: 503, body: problem(503, 'UNAVAILABLE', 'The service is not available') };
  replies(running, { hangUp: true }, { hangUp: true }, unavailable, succeeded);
  expect(await terminal.run('operation', 'watch', 'op-1')).toBe(0);
  expect(terminal.stderr.match(/cannot be reached; trying again/g)).toHaveLength(1);
});

test('a failed operation is 8, with its error and where to look', async () => {
  replies(running, {
    body: fakeOperation({ state: 'Failed', error: { code: 'NO_CAPACITY', message: 'the provider is full' } }),
  });
  expect(await terminal.run('operation', 'watch', 'op-1')).toBe(8);
  expect(terminal.stderr).toContain(
    'Error: create shop failed [NO_CAPACITY]\n  the provider is full\nNext: quorate cluster explain shop\n',
  );
});

test('a superseded operation is 8, too: what was asked for did not happen', async () => {
  replies({ body: fakeOperation({ state: 'Superseded' }) });
  expect(await terminal.run('operation', 'watch', 'op-1')).toBe(8);
});

test('out of time is 7, and says how to go on', async () => {
  replies(running);
  expect(await terminal.run('operation', 'watch', 'op-1', '--timeout', '10s')).toBe(7);
  expect(terminal.stderr).toContain(
    'did not end within 10s\n  it is still running\nNext: quorate operation watch op-1\n',
  );
});

test('Ctrl-C detaches with 130 and cancels nothing', async () => {
  let looks = 0;
  server.on('GET tenants/acme/operations/op-1', () => {
    looks += 1;
    if (looks === 3) {
      terminal.pressCtrlC();
    }
    return running;
  });
  expect(await terminal.run('operation', 'watch', 'op-1')).toBe(130);
  expect(terminal.stderr).toContain('Next: quorate operation watch op-1\n');
  expect(server.asked.every((asked) => asked.method === 'GET')).toBe(true);
});

test('an operation that is gone is 4', async () => {
  replies(running, { status: 404, body: problem(404, 'OPERATION_NOT_FOUND', 'There is no such operation') });
  expect(await terminal.run('operation', 'watch', 'op-1')).toBe(4);
});

test('control characters from the server do not reach the terminal', async () => {
  replies({ body: fakeOperation({ state: 'Succeeded', steps: [step('evil', 'running', '\u001b[2Jgone')] }) });
  await terminal.run('operation', 'watch', 'op-1');
  expect(terminal.stderr).not.toContain('\u001b');
});
