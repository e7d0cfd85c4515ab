/** Promise: whatever changes of a provider while work is in whatever state, no request of it goes to a host that nobody has chosen for it. */
import { describe, expect, it } from 'vitest';
import { DAEMON, faculty, KEYS, keyOf, type Provider, tableOf } from '../support/changed-provider.ts';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { startBatchServer } from '../support/model-server/batch-server.ts';
import { messagesOf } from '../support/model-server/either-wire.ts';
import type { ModelServer, RecordedRequest } from '../support/model-server/server.ts';
import { opened } from '../support/provider-site.ts';

/** After the change: the provider that the faculties' models are of, the values of keys, and what is expected of work that had begun and of work that had not. */
interface Change {
  readonly provider: (own: string, other: string) => Provider;
  readonly keys?: Readonly<Record<string, string>>;
  readonly begun: string;
  readonly fresh: string;
}

const CHANGES: Readonly<Record<string, Change>> = {
  rename: { provider: (url) => ({ name: 'renamed', url }), begun: 'own, key-1', fresh: 'own, key-1' },
  remove: { provider: (_, url) => ({ name: 'next', url }), begun: 'asks', fresh: 'other, key-1' },
  address: { provider: (_, url) => ({ url }), begun: 'asks', fresh: 'other, key-1' },
  'key variable': { provider: (url) => ({ url, keyEnv: 'NEXT_KEY' }), begun: 'asks', fresh: 'own, key-2' },
  'key in it': { provider: (url) => ({ url }), keys: { OWN_KEY: 'key-3' }, begun: 'own, key-3', fresh: 'own, key-3' },
  price: { provider: (url) => ({ url, usd: 9 }), begun: 'own, key-1', fresh: 'own, key-1' },
  kind: { provider: (url) => ({ url, kind: 'openai' }), begun: 'asks', fresh: 'own, key-1' },
};
const BEGUN = ['running', 'between', 'person', 'batch', 'child'] as const;
const FRESH = ['queued', 'schedule'] as const;
const BATCH = '[batch]\ngather_seconds = 0.5\npoll_seconds = 0.5\nsubmit_timeout_seconds = 2\n';
const configOf = ({ usd = 1, ...provider }: Provider) =>
  `${DAEMON}${BATCH}${tableOf(provider)}[models."${provider.name ?? 'own'}/m"]\nusd_per_million = { input = ${usd}, output = ${usd} }\n`;
const facultiesOf = (provider: string) => ({
  worker: faculty('worker', provider, 'tools = ["wait_until"]\n'),
  scribe: faculty('scribe', provider, 'batch = true\n'),
  parent: `${faculty('parent', provider)}[faculty.children]\nfaculties = ["worker"]\n`,
});

describe('a change of a provider', () => {
  const pg = testDatabase({ anew: true });
  const found: Record<string, Record<string, string>> = {};

  it.each(Object.entries(CHANGES))(
    '%s',
    async (name, change) => {
      let hangs = true;
      const programme: AnthropicProgramme = (body) => {
        const turn = answerOf(markerOf(body), messagesOf(body).length > 1);
        return hangs && markerOf(body) === 'running' ? { ...turn, delayMs: 600_000 } : turn;
      };
      const [own, other] = [await opened(startBatchServer(programme)), await opened(startBatchServer(programme))];
      const stranger = await opened(startBatchServer(programme));
      own.state.finishes = false;

      const first = await startDaemon(siteOf({ url: own.url }, KEYS, stranger.url));
      const ids: Record<string, string> = {};
      for (const state of ['running', 'between', 'person']) ids[state] = await submit('worker', state);
      ids['batch'] = await submit('scribe', 'batch');
      ids['parent'] = await submit('parent', 'parent');
      ids['child'] = await eventually('the child is there', () => childOf(ids['parent']!));
      for (const state of ['between', 'person', 'child', 'parent']) await stateIs(ids[state]!, 'waiting');
      await eventually('the request of the running work is under way', () => seenBy(own, 'running', 0));
      await eventually('the batch is at the provider', () => own.state.batches[0] ?? null);
      await eventually('its id is recorded', () => one(`select id from animus.batches where state = 'submitted'`));
      await first.kill('SIGKILL');
      hangs = false;
      // The answer is ready, wherever it is asked for.
      own.state.finishes = true;
      await own.state.finish(own.state.batches[0]!);
      await pg.database.query('delete from animus.batch_pollers');
      ids['queued'] = await submit('worker', 'queued');
      await pg.database.query(`delete from animus.schedules`);
      await pg.database.query(
        `select animus.add_schedule('yearly', '0 0 1 1 *', 'worker', p_description => '<schedule>')`,
      );
      await pg.database.query(`update animus.schedules set next_at = animus.now()`);
      await pg.database.query(`select animus.answer($1, 'Yes')`, [ids['person']]);
      const servers = { own, other, stranger };
      const before = Object.fromEntries(Object.entries(servers).map(([host, { requests }]) => [host, requests.length]));

      await startDaemon(siteOf(change.provider(own.url, other.url), { ...KEYS, ...change.keys }, stranger.url));
      const row = (found[name] = {} as Record<string, string>);
      for (const state of [...BEGUN, ...FRESH]) {
        row[state] = await eventually(`it is clear where the work went that was: ${state}`, async () => {
          for (const [host, server] of Object.entries(servers)) {
            const sent =
              seenBy(server, state, before[host]!) ??
              (state === 'batch' ? pollOf(server, own.state.batches[0]!.id, before[host]!) : null);
            if (sent !== null) return `${host}, ${keyOf(sent)}`;
          }
          return (await asksAboutProvider(state, ids)) ? 'asks' : null;
        });
      }
      expect(row).toEqual({
        ...Object.fromEntries(BEGUN.map((state) => [state, change.begun])),
        ...Object.fromEntries(FRESH.map((state) => [state, change.fresh])),
      });
      // Nothing more of it, either, by the time that all else has been seen.
      const allowed = new Set([change.begun, change.fresh].map((where) => where.split(',')[0]));
      for (const [host, server] of Object.entries(servers))
        if (!allowed.has(host)) expect(server.requests.slice(before[host])).toEqual([]);
      if (change.begun !== 'asks') for (const state of [...BEGUN, 'parent']) await stateIs(ids[state]!, 'completed');
      else await stateIs(ids['parent'], 'waiting');
    },
    180_000,
  );

  it('has sent each request where it belongs', () => {
    const states = [...BEGUN, ...FRESH];
    const lines = Object.entries(found).map(([name, row]) =>
      [name, ...states.map((state) => row[state] ?? '?')].join(' | '),
    );
    process.stdout.write(`${['change', ...states].join(' | ')}\n${lines.join('\n')}\n`);
    expect(Object.keys(found)).toEqual(Object.keys(CHANGES));
  });

  function siteOf(provider: Provider, keys: Readonly<Record<string, string>>, stranger: string): Site {
    const site = makeSite({
      modelUrl: stranger,
      databaseUrl: pg.connectionString,
      config: configOf(provider),
      faculties: facultiesOf(provider.name ?? 'own'),
    });
    return { ...site, env: { ...site.env, ...keys } };
  }

  async function submit(to: string, marker: string): Promise<string> {
    const row = await one(
      `insert into animus.work_items (faculty, description) values ('${to}', '<${marker}>') returning id`,
    );
    return row!.id;
  }

  async function one(sql: string, params: readonly unknown[] = []): Promise<{ readonly id: string } | null> {
    const [row] = await pg.database.query<{ id: string }>(sql, [...params]);
    return row ?? null;
  }

  async function childOf(id: string): Promise<string | null> {
    return (await one('select id from animus.work_items where parent_id = $1', [id]))?.id ?? null;
  }

  async function stateIs(id: string, state: string): Promise<void> {
    await eventually(`${id} is ${state}`, () =>
      one('select id from animus.work_items where id = $1 and state = $2', [id, state]),
    );
  }

  async function asksAboutProvider(state: string, ids: Readonly<Record<string, string>>): Promise<boolean> {
    const found = await one(`select ask_id as id from animus.inbox where subject = 'provider' and work_item_id = $1`, [
      ids[state] ?? null,
    ]);
    return found !== null;
  }
});

function answerOf(marker: string | null, isLater: boolean) {
  if (isLater && marker !== 'parent') return { content: [text('Done.')] };
  switch (marker) {
    case 'between':
    case 'child':
      return { content: [toolUse('w', 'wait_until', { seconds: 4, reason: 'a change' })] };
    case 'person':
      return { content: [toolUse('q', 'ask_human', { question: 'Go on?' })] };
    case 'parent':
      return isLater
        ? { content: [text('Collected.')] }
        : {
            content: [
              toolUse('s', 'spawn_child_work', { faculty: 'worker', description: '<child>' }),
              toolUse('a', 'await_child_work', {}),
            ],
          };
    default:
      return { content: [text('Done.')] };
  }
}

/** Of the work that a request is about: it stands in its first message. */
function markerOf(body: Record<string, unknown>): string | null {
  return (
    /<(running|between|person|batch|child|parent|queued|schedule)>/.exec(
      JSON.stringify(body['messages'] ?? body),
    )?.[1] ?? null
  );
}

function seenBy({ requests }: ModelServer, marker: string, from: number): RecordedRequest | null {
  return requests.slice(from).find(({ json }) => json !== null && markerOf(json) === marker) ?? null;
}

function pollOf({ requests }: ModelServer, batch: string, from: number): RecordedRequest | null {
  return requests.slice(from).find(({ path }) => path.includes(batch)) ?? null;
}
