import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { ROLES } from '../../../src/store/migrations/roles.ts';
import { QUEUES } from '../../../src/store/work/queue-names.ts';
import { type RunOptions, run } from '../../cli/run-cli.ts';
import { testDatabase } from '../../support/database.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'cli-home-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a database without schema', () => {
  const empty = testDatabase({ empty: true });
  const animus = (...argv: string[]) => command(argv, { env: { DATABASE_URL: empty.connectionString } });

  test('is refused with advice, then migrated, and then works', async () => {
    const refused = await animus('work', 'list');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('run: animus db migrate') });
    expect(refused.stderr).not.toContain('password');
    const before = JSON.parse((await animus('db', 'status', '--json')).stdout);
    expect(before).toMatchObject({
      current: false,
      version: 0,
      migrations: expect.arrayContaining([expect.objectContaining({ state: 'pending' })]),
    });
    expect((await animus('db', 'status')).code).toBe(5);

    const migrated = JSON.parse((await animus('db', 'migrate', '--json')).stdout);
    expect(migrated.applied).toHaveLength(before.needed);
    // Roles belong to the server: they may be there, but in a new database they have no rights yet.
    expect(migrated.roles.granted.toSorted()).toEqual(ROLES.toSorted());
    expect((await animus('db', 'migrate')).stdout).toContain('nothing to do');
    const status = await animus('db', 'status');
    expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/^QUEUE +MESSAGES +OLDEST/m) });
    expect(JSON.parse((await animus('db', 'status', '--json')).stdout).queues).toContainEqual({
      queue: QUEUES.inbox,
      messages: 0,
      oldest_age_seconds: null,
      newest_age_seconds: null,
      sent: 0,
    });
    expect(await animus('work', 'list')).toMatchObject({ code: 0 });
  });
});

describe('a database', () => {
  const schema = testDatabase();

  test('that cannot be reached is exit code 4, and its password is never printed', async () => {
    const { code, stderr, stdout } = await command(['status'], {
      env: { DATABASE_URL: 'postgres://ada:PASSWORD@127.0.0.1:1/x' },
    });
    expect(code).toBe(4);
    expect(stderr).toContain('cannot use the database at 127.0.0.1:1/x');
    expect(stderr + stdout).not.toContain('PASSWORD');
  });

  test('that accepts connections and never answers does not block an interrupted command', async () => {
    const { server, port } = await silentServer();
    const interrupts = createInterrupts(systemClock);
    server.once('connection', () => interrupts.receive('SIGTERM'));
    const ran = await command(['status'], { env: { DATABASE_URL: `postgres://ada@127.0.0.1:${port}/x` }, interrupts });
    server.close();
    expect(ran).toMatchObject({ code: 130, stderr: 'animus: stopped\n' });
  });

  test.each([
    [['work', 'submit', 'nobody', 'x', '--wait'], 'queued', /the work item goes on .*: animus work tail \w{12}\n$/],
    [
      ['chat', 'send', 'Hello', '--faculty', 'nobody', '--wait'],
      'message 1',
      /the message stays, and .*: animus work tail \w{12}\n$/,
    ],
  ])('that no longer answers: interrupted, %j says what goes on', async (argv, sign, says) => {
    const proxy = await startPostgresProxy(schema.connectionString);
    const interrupts = createInterrupts(systemClock);
    let silent = false;
    const silence = () => {
      if (silent) interrupts.receive('SIGINT');
      return silent ? ('cut' as const) : ('pass' as const);
    };
    proxy.watch(silence);
    const ran = await command(argv, {
      env: { DATABASE_URL: proxy.url },
      interrupts,
      onPrint: (text) => (silent ||= text.includes(sign)),
    });
    expect(ran).toMatchObject({ code: 130, stderr: expect.stringMatching(says) as string });
  });

  test('is not guessed inside work', async () => {
    const { code, stderr } = await command(['work', 'list'], { env: { ANIMUS_WORK_ID: 'abc' } });
    expect(code).toBe(5);
    expect(stderr).toContain('belongs to work item abc and has no DATABASE_URL');
  });

  test('is created by the first command that needs one, and kept', async () => {
    const first = await command(['work', 'submit', 'engineer', 'x', '--json']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { id } = JSON.parse(first.stdout);
    const { stdout, stderr } = await command(['work', 'list', '--json']);
    expect(JSON.parse(stdout).items).toMatchObject([{ id }]);
    expect(stderr).toBe('');
  }, 60_000);
});

function command(argv: readonly string[], options: RunOptions = {}) {
  return run(argv, { cwd: home, ...options, env: { ANIMUS_HOME: join(home, 'animus'), ...options.env } });
}

/** Accepts connections and never answers. */
async function silentServer(): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}
