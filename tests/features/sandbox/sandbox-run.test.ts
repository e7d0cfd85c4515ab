/** Promise: `animus sandbox run` prints what code prints, and ends with its exit status. The sandbox is a function of the test. */
import { beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../cli/run-cli.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { played } from '../../support/played-sandbox.ts';

vi.mock(
  '../../../src/daemon/open-containers.ts',
  async () => (await import('../../support/played-sandbox.ts')).playedContainers,
);

const target = testDatabase();
const animus = (argv: readonly string[], onPrint: (text: string) => void = () => {}) =>
  run(['sandbox', 'run', ...argv], { env: { DATABASE_URL: target.connectionString }, onPrint });

beforeEach(() => {
  played.specs = [];
});

async function start(): Promise<void> {
  await startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
    script: '[[answer]]\ntext = "unused"\n',
    files: { 'faculties/sandbox.toml': '[faculty]\nname = "sandbox"\n[faculty.engage]\nmode = "code"\n' },
  });
}

test('a command: its output as it comes, the rest at the end, and its exit status', async () => {
  await start();
  const seen = Promise.withResolvers<void>();
  played.code = async (_call, { live }) => {
    live?.onOutput('stdout', Buffer.from('first\n'));
    await seen.promise;
    return {
      value: '3',
      stdout: { text: 'first\nsecond\n', bytes: 13 },
      stderr: { text: 'careful\n', bytes: 8 },
    };
  };
  // The code goes on when its first line was printed here.
  const { code, stdout, stderr } = await animus(['--', 'sh', '-c', 'exit 3'], (text) => {
    if (text === 'first\n') seen.resolve();
  });
  expect([code, stdout]).toEqual([3, 'first\nsecond\n']);
  expect(stderr).toMatch(/^animus: work item [0-9a-f-]{36}\ncareful\n$/);
  expect(played.specs[0]!.code).toContain('argv = ["sh", "-c", "exit 3"]');
});

test('Python: its value, or as JSON the outcome; what it raised is on stderr', async () => {
  await start();
  played.code = async () => ({ value: '{"n":1}' });
  expect(await animus(['--code', 'return {"n": 1}'])).toMatchObject({ code: 0, stdout: '{"n":1}\n' });
  const json = await animus(['--code', 'return {"n": 1}', '--timeout', '5', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ state: 'completed', outcome: { exit_status: 0, value: { n: 1 } } });
  expect(played.specs.at(-1)!.timeoutMs).toBe(5000);
  played.code = async () => ({ ended: 'raised', traceback: 'NameError: x' });
  const raised = await animus(['--code', 'x']);
  expect([raised.code, raised.stdout]).toEqual([1, '']);
  expect(raised.stderr).toContain('NameError: x');
});

test('work that did not complete exits with 1 and the reason', async () => {
  await start();
  played.code = async () => ({ ended: 'killed', problem: 'the engine went away' });
  const { code, stderr } = await animus(['--', 'ls']);
  expect(code).toBe(1);
  expect(stderr).toContain('dead: the engine went away');
});

test('is refused without code, with both, and without a daemon that has the faculty', async () => {
  expect(await animus([])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('give a command after --, or Python with --code') as string,
  });
  expect(await animus(['--code', 'x', '--', 'ls'])).toMatchObject({ code: 2 });
  const before = await target.database.query('select from animus.work_items');
  const none = await animus(['--', 'ls']);
  expect(none).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('no running daemon has the faculty sandbox') as string,
  });
  expect(await target.database.query('select from animus.work_items')).toHaveLength(before.length);
});
