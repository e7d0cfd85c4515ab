import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';

const FACULTY = `
[faculty]
name = "clerk"
description = "Counts"
max_concurrent = 8
[faculty.engage]
model = "${MODEL}"
system_prompt = "You count."
`;

function single(i: number): string {
  return `insert into animus.work_items (faculty, description, dedup_key) values ('clerk', 'single ${i}', 'key ${i}');`;
}

describe('many inserts at once', () => {
  const pg = testDatabase({ anew: true });

  it('each of 200 items completes exactly once, however it was inserted, duplicates included', async () => {
    const server = await startModelServer((body) => {
      const messages = body['messages'] as readonly unknown[];
      return messages.length === 1
        ? { content: [toolUse('n', 'ledger_append', { type: 'note', content: 'seen' })] }
        : { content: [text('Counted.')] };
    });
    onTestFinished(() => server.close());
    const site = makeSite({ modelUrl: server.url, databaseUrl: pg.connectionString, faculties: { clerk: FACULTY } });
    await startDaemon(site, ['--max-concurrent', '8']);

    const bulk = `insert into animus.work_items (faculty, description, dedup_key) select 'clerk', 'bulk ' || i, 'key ' || i from generate_series(1, 100) i;`;
    const singles = Array.from({ length: 100 }, (_, i) => single(101 + i));
    // The same items twice, from several sessions in parallel, while the daemon is already running.
    await Promise.all([sql(bulk), sql(bulk), sql(singles.join('\n')), sql(singles.toReversed().join('\n'))]);

    await eventually(
      'nothing is open any more',
      async () => {
        const [open] = await pg.database.query(`select from animus.work_items where resolved_at is null limit 1`);
        return open ? null : true;
      },
      60,
    );
    const states = await pg.database.query(
      `select state, count(*)::int as n from animus.work_items group by state order by state`,
    );
    const completed = states.find((row) => row['state'] === 'completed')!['n'] as number;
    // A duplicate merges while the first item is active; one that is inserted after its end is new work.
    expect(states.reduce((sum, row) => sum + (row['n'] as number), 0)).toBe(400);
    expect(completed).toBeGreaterThanOrEqual(200);
    expect(states.map((row) => row['state'])).toEqual(['completed', 'merged']);
    const [keys] = await pg.database.query(
      `select count(distinct dedup_key)::int as keys from animus.work_items where state = 'completed'`,
    );
    expect(keys).toEqual({ keys: 200 });
    // Exactly once: one focus, two turns, one ledger entry each; two requests each.
    const [once] = await pg.database.query(
      `select (select count(*)::int from animus.foci) as foci, (select count(*)::int from animus.turns) as turns,
              (select count(*)::int from animus.work_ledger) as entries, (select count(*)::int from animus.active_keys) as keys,
              (select count(*)::int from pgmq.q_animus_work) as messages`,
    );
    expect(once).toEqual({ foci: completed, turns: 2 * completed, entries: completed, keys: 0, messages: 0 });
    expect(server.requests).toHaveLength(2 * completed);
  }, 180_000);

  /** With psql if it is installed, as users would; otherwise over a separate connection. */
  async function sql(statements: string): Promise<void> {
    const psql = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', pg.connectionString, '-f', '-']);
    const errors: Buffer[] = [];
    psql.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    psql.stdin.on('error', () => {}); // it is not installed; the event below reports it
    psql.stdin.end(statements);
    const installed = await new Promise<boolean>((resolve) => {
      psql.on('error', () => resolve(false));
      psql.on('close', () => resolve(true));
    });
    if (!installed) await pg.open().query(statements);
    expect(Buffer.concat(errors).toString()).toBe('');
  }
});
