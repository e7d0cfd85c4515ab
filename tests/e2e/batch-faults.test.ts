// Also on the wire openai.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicProgramme, text } from '../support/model-server/anthropic.ts';
import { type BatchServer, startBatchServer } from '../support/model-server/batch-server.ts';
import { json, type MockResult } from '../support/model-server/batch-state.ts';
import { MODEL, WIRE } from '../support/model-server/either-wire.ts';
import { stateOf } from './work-state.ts';

// The fate of a request depends on words of its messages, so those of other work must not be among them.
const FACULTY = `
[faculty]
name = "scribe"
[faculty.awareness]
enabled = false
[faculty.engage]
model = "${MODEL}"
system_prompt = "You write."
batch = true
[faculty.recover]
max_attempts = 1
`;
const CONFIG =
  '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\n[batch]\ngather_seconds = 1\npoll_seconds = 0.3\nsubmit_timeout_seconds = 2\n';

const oneTurn: AnthropicProgramme = () => ({ content: [text('Written.')] });

/** What becomes of the requests whose description has this word; an expired one only the first time. */
function fates(): (customId: string, body: object) => MockResult | null {
  let expired = false;
  return (_, body) => {
    const said = JSON.stringify(body);
    if (said.includes('a wrong one')) {
      const message = `max_tokens: wrong${said.includes('quotes the key') ? ' with key test-key' : ''}`;
      const error = { type: 'invalid_request_error', message };
      return { status: 400, body: { type: 'error', error } };
    }
    if (!said.includes('a late one') || expired) return null;
    expired = true;
    return { ended: 'expired' };
  };
}

describe('a batch', () => {
  const pg = testDatabase({ anew: true });
  let server: BatchServer;
  let site: Site;

  beforeEach(async () => {
    await pg.database.query(`select animus.cancel_work(id) from animus.work_items where resolved_at is null`);
    await pg.database.query('delete from animus.batches');
    // The daemon of the test before was killed.
    await pg.database.query('delete from animus.batch_pollers');
    server = await startBatchServer(oneTurn, fates());
    onTestFinished(() => server.close());
    site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: CONFIG,
      faculties: { scribe: FACULTY },
    });
    await startDaemon(site);
  });

  it('in which one request fails and one expires keeps the answers of the others', async () => {
    const [good, wrong, late] = await insert(pg.database, ['a good one', 'a wrong one', 'a late one']);
    await stateOf(pg.database, good!, 'completed');
    await stateOf(pg.database, wrong!, 'dead');
    const [item] = await pg.database.query<{ error: { code: string; message: string } }>(
      'select error from animus.work_items where id = $1',
      [wrong],
    );
    expect(item!.error.code).toBe('llm.invalid_request');
    expect(item!.error.message).toContain('max_tokens: wrong');
    await askAgain(pg.database, [late!]);
    await stateOf(pg.database, late!, 'completed');
    expect(server.state.batches.map(({ requests }) => requests.length)).toEqual([3, 1]);
    expect(server.live.requests).toHaveLength(2);
  }, 180_000);

  it('whose results are not complete yet is read again; nothing is asked twice', async () => {
    let cut = 0;
    server.state.hook = (call, moment) => {
      if (call !== 'results' || moment !== 'after' || cut > 0) return null;
      cut += 1;
      return { status: 200, headers: { 'content-type': 'application/x-jsonl' }, parts: [] };
    };
    const ids = await insert(pg.database, ['one', 'two']);
    await eventually('the problem is noted', async () => {
      const [row] = await pg.database.query(
        `select from animus.batches where problem like '%results are not complete: 0 of 2 answers%'`,
      );
      return row ?? null;
    });
    for (const id of ids) await stateOf(pg.database, id, 'completed');
    expect(server.state.batches.map(({ requests }) => requests.length)).toEqual([2]);
    expect(server.live.requests).toHaveLength(2);
  }, 180_000);

  it('one of whose errors quotes the key is stored without the key', async () => {
    // An answer is deleted as soon as it is recorded.
    await pg.database.query('create table public.answers_seen (answer text)');
    await pg.database.query(
      `create function public.see_answer() returns trigger language plpgsql security definer as $$
       begin insert into public.answers_seen values (new.answer); return new; end $$`,
    );
    await pg.database.query(
      `create trigger see_answer after update on animus.batch_requests for each row
       when (new.answer is not null) execute function public.see_answer()`,
    );
    onTestFinished(async () => {
      await pg.database.query('drop trigger see_answer on animus.batch_requests');
      await pg.database.query('drop table public.answers_seen');
    });
    const [id] = await insert(pg.database, ['a wrong one that quotes the key']);
    await stateOf(pg.database, id!, 'dead');
    const seen = await pg.database.query<{ answer: string }>('select answer from public.answers_seen');
    expect(seen.map(({ answer }) => answer)).toEqual([
      expect.stringMatching(/max_tokens: wrong with key (?!test-key)/),
    ]);
  }, 180_000);

  it('is cancelled at the provider when all of its work has been cancelled', async () => {
    server.state.finishes = false;
    const ids = await insert(pg.database, ['one', 'two']);
    await eventually('it is taken', () => server.state.batches[0] ?? null);
    for (const id of ids) await runAnimus(site, ['work', 'cancel', id]);
    await eventually('it is cancelled', () => (server.state.batches[0]!.cancelled ? true : null));
    await endOf(pg.database, 'collected');
    expect(server.live.requests).toHaveLength(0);
  }, 180_000);

  it('that is refused goes back to the outbox, and status says why', async () => {
    let refusing = true;
    server.state.hook = (call, moment) => {
      if (!refusing || call !== 'create' || moment !== 'before') return null;
      const error = { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'too many batches' };
      return { ...json({ type: 'error', error }, 429), headers: { 'retry-after': '1' } };
    };
    const [id] = await insert(pg.database, ['one']);
    await eventually('status shows the refusal', async () => {
      const { stdout } = await runAnimus(site, ['status']);
      return stdout.includes('too many batches') ? true : null;
    });
    refusing = false;
    await stateOf(pg.database, id!, 'completed');
    expect(server.state.batches).toHaveLength(1);
  }, 180_000);

  it('that is refused as invalid fails nobody; its requests are sent in batches of half the size', async () => {
    let refused = 0;
    server.state.hook = (call, moment) => {
      if (refused > 0 || call !== 'create' || moment !== 'before') return null;
      refused += 1;
      const error = { type: 'invalid_request_error', code: null, message: 'one of them is wrong' };
      return json({ type: 'error', error }, 400);
    };
    const ids = await insert(pg.database, ['one', 'two']);
    await eventually('they are put again', async () => {
      const rows = await pg.database.query(
        `update animus.batch_requests set ready_at = animus.now() - interval '1 minute'
          where state = 'waiting' and ready_at > animus.now() + interval '10 seconds' and work_item_id = any ($1::uuid[]) returning id`,
        [ids],
      );
      return rows.length === 2 ? rows : null;
    });
    for (const id of ids) await stateOf(pg.database, id, 'completed');
    expect(refused).toBe(1);
    expect(server.state.batches.map(({ requests }) => requests.length)).toEqual([1, 1]);
  }, 180_000);

  it('whose submit is unclear is found, or sent again when the provider does not have it', async () => {
    const moments = ['after', 'before'];
    server.state.hook = (call, moment) => {
      if (call !== 'create' || moment !== moments[0]) return null;
      moments.shift();
      return json({ type: 'error', error: { type: 'api_error', message: 'internal' } }, 500);
    };
    const [found] = await insert(pg.database, ['one']);
    await stateOf(pg.database, found!, 'completed');
    expect(server.state.batches).toHaveLength(1);
    // Somebody else's batch of the same size has to be told apart.
    server.addForeign(1);
    const [lost] = await insert(pg.database, ['two']);
    await stateOf(pg.database, lost!, 'completed');
    expect(server.state.batches.filter(({ requests }) => !requests[0]!.customId.startsWith('other'))).toHaveLength(2);
    expect(moments).toEqual([]);
    expect(server.live.requests).toHaveLength(2);
    await endOf(pg.database, 'lost');
  }, 180_000);

  it.runIf(WIRE === 'openai')(
    'whose lines are refused fails the named requests and puts the others again',
    async () => {
      server.state.hook = (call, moment) => {
        const [batch] = server.state.batches;
        if (call !== 'create' || moment !== 'after' || server.state.batches.length > 1) return null;
        batch!.failed = [{ line: 1, message: 'the first line is wrong' }];
        return null;
      };
      const ids = await insert(pg.database, ['one', 'two']);
      await askAgain(pg.database, ids);
      const ended = await eventually('both have ended', async () => {
        const rows = await pg.database.query<{ state: string; message: string | null }>(
          `select state, error ->> 'message' as message from animus.work_items where id = any ($1::uuid[]) and resolved_at is not null order by state`,
          [ids],
        );
        return rows.length === 2 ? rows : null;
      });
      expect(ended).toMatchObject([
        { state: 'completed' },
        { state: 'dead', message: expect.stringContaining('the first line is wrong') as string },
      ]);
    },
    120_000,
  );
});

async function insert(database: Database, descriptions: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) select 'scribe', d from unnest($1::text[]) d returning id`,
    [descriptions],
  );
  return rows.map((row) => row.id);
}

/** A request that is put again waits a minute: let it be over. */
async function askAgain(database: Database, ids: readonly string[]): Promise<void> {
  await eventually('it is put again', async () => {
    const rows = await database.query(
      `update animus.batch_requests r set ready_at = animus.now() - interval '1 minute'
        where state = 'waiting' and work_item_id = any ($1::uuid[])
          and exists (select from animus.batch_requests f where f.focus_id = r.focus_id and f.state = 'failed') returning id`,
      [ids],
    );
    return rows[0] ?? null;
  });
}

async function endOf(database: Database, endedAs: string): Promise<void> {
  await eventually(`a batch ended as ${endedAs}`, async () => {
    const [row] = await database.query('select from animus.batches where ended_as = $1', [endedAs]);
    return row ?? null;
  });
}
