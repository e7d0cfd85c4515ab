import { expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

/** Loaded in the daemon before anything else: each SIGUSR2 moves its wall clock by the next jump. Timers are not affected. */
const JUMPING_CLOCK = `
const Real = Date;
const jumps = [3_600_000, -7_200_000];
let offset = 0;
globalThis.Date = class extends Real {
  constructor(...args) { if (args.length === 0) super(Real.now() + offset); else super(...args); }
  static now() { return Real.now() + offset; }
};
process.on('SIGUSR2', () => { offset += jumps.shift() ?? 0; process.stderr.write('the clock jumped to ' + new Date().toISOString() + '\\n'); });
`;

const pg = testDatabase({ anew: true });

it('a wall clock that jumps an hour ahead and then two back disturbs no lease, time-out, wait or answer', async () => {
  const server = await startModelServer((body) => {
    const said = JSON.stringify(messagesOf(body));
    if (said.includes('tool_result')) return { content: [text('Slept and waited.')], delayMs: 1000 };
    return {
      content: [
        toolUse('nap', 'bash', { command: 'sleep 8; echo rested' }),
        toolUse('wait', 'wait_until', { seconds: 9, reason: 'the kettle' }),
      ],
    };
  });
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\nhttp = "off"\n',
    faculties: {
      sleeper: `[faculty]\nname = "sleeper"\nrun_deadline_seconds = 120\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You sleep."\ntools = ["bash"]\ntool_timeout_seconds = 60\n`,
    },
  });
  const preload = `data:text/javascript,${encodeURIComponent(JUMPING_CLOCK)}`;
  const daemon = await startDaemon(site, [], { NODE_OPTIONS: `--import=${preload}` });
  await pg.database.query(`insert into animus.work_items (faculty, description) values ('sleeper', 'sleep')`);
  await server.received(1);
  for (const times of [1, 2]) {
    const before = await leaseEnd();
    process.kill(daemon.pid, 'SIGUSR2');
    await eventually('the clock has jumped', () =>
      daemon.output().split('the clock jumped').length > times ? true : null,
    );
    // The lease is renewed by the daemon's timers and the database's clock.
    await eventually('a heartbeat after the jump', async () => ((await leaseEnd()) > before ? true : null));
  }

  const item = await eventually(
    'the item ends',
    async () => {
      const [row] = await pg.database.query(
        `select state, attempts, outcome, extract(epoch from resolved_at - created_at)::float8 between 8 and 60 as took_its_time
         from animus.work_items where resolved_at is not null`,
      );
      return row ?? null;
    },
    60,
  );
  expect(item).toEqual({
    state: 'completed',
    attempts: 0,
    outcome: { text: 'Slept and waited.' },
    took_its_time: true,
  });
  const calls = await pg.database.query('select call_id, state, output from animus.tool_calls order by call_id');
  expect(calls).toEqual([
    { call_id: 'nap', state: 'done', output: expect.stringContaining('rested') as string },
    { call_id: 'wait', state: 'done', output: expect.stringContaining('the wait is over') as string },
  ]);
  expect(server.requests).toHaveLength(2);
  expect(daemon.output()).not.toMatch(/lease (is lost|could not)|"level":"(error|warn)"/);
}, 180_000);

/** Seconds since the epoch, by the database's clock. */
async function leaseEnd(): Promise<number> {
  return eventually('the item has a lease', async () => {
    const [row] = await pg.database.query<{ at: number | null }>(
      'select extract(epoch from lease_expires_at)::float8 as at from animus.work_items',
    );
    return row?.at ?? null;
  });
}
