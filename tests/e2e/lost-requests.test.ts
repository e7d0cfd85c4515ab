// Also on the wire openai.
/** Promise: a server that never ends an answer is not paid for ever, and what it may have charged is counted, also by daemons that are killed. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text } from '../support/model-server/anthropic.ts';
import { MODEL, PROVIDER, startModelServer } from '../support/model-server/either-wire.ts';
import { stateOf } from './work-state.ts';

const pg = testDatabase({ anew: true });

// Pauses last a second at most, so that the attempts of an item do not take minutes.
const CONFIG = `[daemon]\nlease_seconds = 5\npoll_seconds = 0.3\n[providers.${PROVIDER}]\nkind = "${PROVIDER}"\nmax_retry_after_seconds = 1\n`;
const FACULTY = `[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You keep the books."\nmax_tokens = 1000\n[faculty.recover]\nmax_attempts = 3\n`;

interface Lost {
  readonly requests: number;
  readonly usd: number;
}

async function lostBy(id: string): Promise<Lost> {
  const [row] = await pg.database.query<Lost>(
    `select coalesce(sum(t.lost_requests), 0)::int as requests, coalesce(sum(t.lost_usd), 0)::float8 as usd
       from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1`,
    [id],
  );
  return row!;
}

async function submit(): Promise<string> {
  const [item] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('clerk', 'note it') returning id`,
  );
  return item!.id;
}

const siteAt = (modelUrl: string) =>
  makeSite({ databaseUrl: pg.connectionString, modelUrl, config: CONFIG, faculties: { clerk: FACULTY } });

describe('a server that always cuts its answers', () => {
  it('is asked a bounded number of times for an item, whose attempts it uses up in one focus', async () => {
    const server = await startModelServer([{ content: [text('one two three four')], stopAfter: 3, finally: 'reset' }]);
    onTestFinished(() => server.close());
    const daemon = await startDaemon(siteAt(server.url));
    const id = await submit();
    await stateOf(pg.database, id, 'dead');
    const lost = await lostBy(id);
    expect(lost.requests).toBe(server.requests.length);
    expect(lost.requests).toBeGreaterThanOrEqual(3);
    expect(lost.requests).toBeLessThanOrEqual(9);
    expect(lost.usd).toBeGreaterThan(0);
    const [item] = await pg.database.query(
      `select attempts, error ->> 'code' as code, error ->> 'message' as message, (select count(*)::int from animus.foci f where f.work_item_id = w.id) as foci
         from animus.work_items w where id = $1`,
      [id],
    );
    expect(item).toMatchObject({ attempts: 3, code: 'llm.connection', foci: 1 });
    expect(item!['message']).toMatch(/may have cost something and returned nothing/);
    await daemon.kill('SIGTERM');
  }, 180_000);
});

describe('a daemon that is killed while a request is out', () => {
  it('has lost it, once, whether another one goes on or nobody does', async () => {
    let hangs = true;
    const server = await startModelServer(() =>
      hangs ? { content: [text('never')], stopAfter: 1, finally: 'stall' } : { content: [text('Done.')] },
    );
    onTestFinished(() => server.close());
    const site = siteAt(server.url);
    const first = await startDaemon(site);
    const [goesOn, ends] = [await submit(), await submit()];
    await server.received(2);
    await first.kill('SIGKILL');
    hangs = false;
    await pg.database.query('select animus.cancel_work($1)', [ends]);
    const second = await startDaemon(site);
    await stateOf(pg.database, goesOn, 'completed');
    await stateOf(pg.database, ends, 'cancelled');
    const [one, other] = [await lostBy(goesOn), await lostBy(ends)];
    expect(one).toMatchObject({ requests: 1 });
    expect(one.usd).toBeGreaterThan(0);
    expect(other).toEqual(one);
    const open = await eventually('no request is open', async () => {
      const [row] = await pg.database.query<{ n: number }>(
        'select count(*)::int as n from animus.turns where open_request is not null',
      );
      return row!.n === 0 ? row : null;
    });
    expect(open).toEqual({ n: 0 });
    await second.kill('SIGTERM');
  }, 180_000);
});
