/** The client over servers that are killed: each event once, each effect once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { createClient, type WorkEvent } from '../../src/client/client.ts';
import { appendLedger } from '../../src/store/transcript/ledger.ts';
import { completeWork } from '../../src/store/work/work.ts';
import { beginFocus } from '../support/begun-focus.ts';
import { sharedCompileCache } from '../support/compile-cache.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createPerson, createToken } from '../support/people.ts';

const pg = testDatabase({ anew: true });
const LAUNCHER = new URL('../../src/animus.js', import.meta.url).pathname;
const ENTRIES = 6;

it('a reader of events gets each once, and what is submitted meanwhile is submitted once', {
  timeout: 300_000,
}, async () => {
  await createPerson(pg.database, 'olga', 'operator');
  const { secret } = await createToken(pg.database, 'olga');
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createClient({ baseUrl, token: secret, retries: 12 });
  const work = await beginFocus(pg.database);
  const events: WorkEvent[] = [];
  const isSeen = (content: string) => events.some((event) => event.type === 'ledger' && event.content === content);

  let server = await startServer(port);
  const following = client.wait(work.id, { onEvent: (event) => events.push(event) });
  const submitted: Promise<{ readonly id: string }>[] = [];
  for (let n = 1; n <= ENTRIES; n++) {
    await appendLedger(pg.database, work.id, 'note', `entry ${n}`, { leaseToken: work.leaseToken });
    submitted.push(client.work.submit({ faculty: 'killed', description: `item ${n}` }));
    // Every second time before the entry was read, or may have been.
    if (n % 2 === 0) await eventually(`entry ${n} is read`, async () => isSeen(`entry ${n}`) || null);
    await server.kill();
    server = await startServer(port);
  }
  await completeWork(pg.database, work, {}, 'all done');

  expect(await following).toMatchObject({ state: 'completed', outcome_summary: 'all done' });
  const recorded = events.filter((event) => 'id' in event);
  expect(recorded.map((event) => (event.type === 'ledger' ? event.content : event.type))).toEqual([
    'state',
    'state',
    ...Array.from({ length: ENTRIES }, (_, index) => `entry ${index + 1}`),
    'done',
  ]);
  const ids = (await Promise.all(submitted)).map(({ id }) => id);
  const rows = await pg.database.query<{ id: string }>(
    `select id from animus.work_items where faculty = 'killed' order by substr(description, 6)::int`,
  );
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

/** `animus http` on this port, when it answers. */
async function startServer(port: number): Promise<{ kill(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [LAUNCHER, 'http', '--listen', `127.0.0.1:${port}`], {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), DATABASE_URL: pg.connectionString, ...sharedCompileCache() },
    stdio: 'ignore',
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  await eventually('the server answers', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return answer?.status === 200 || null;
  });
  return { kill };
}
