/**
 * Event streams of the API: many readers of one work item, also while it changes without a break, of one conversation, and of as many different work items (memory and processor time of the server,
 * time from the answer of a statement, which is committed then, to each reader), a bare loop of writes to as many connections beside it, and turns
 * per second with and without readers.
 * `node tests/bench/http/run.ts [--readers 1000] [--entries 100] [--seconds 4] [--rounds 3] [--only one,busy,chat,many,turns] [--apart]`.
 * With `--apart`, readers and servers run on processors of their own (Linux, `taskset`), as if readers were on another machine: otherwise the system often
 * lets the readers take turns with the server, and the bare loop has twice the time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { beginAnswer, newTalk } from '../../store/conversations/begun.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { createPerson, createToken } from '../../support/people.ts';
import type { Usage } from '../../support/usage.ts';
import { benchServer, median } from '../support/bench-database.ts';
import { startLineProcess } from '../support/line-process.ts';
import { figure, report } from '../support/report.ts';
import { turnsPerSecond } from './turns.ts';

const { values } = parseArgs({
  options: {
    readers: { type: 'string', default: '1000' },
    entries: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'one,busy,chat,many,turns' },
    apart: { type: 'boolean', default: false },
  },
});
const readers = Number(values.readers);
const entries = Number(values.entries);
const only = values.only.split(',');
/** Much shorter than it takes to write to a thousand readers. */
const BUSY_MS = 4;

const server = await benchServer();
const db = openPostgres(server.url, { poolSize: 20 });
await createPerson(db, 'reader', 'reader');
const token = (await createToken(db, 'reader')).secret;
try {
  if (only.includes('one')) {
    await streams('one work item', [await beginFocus(db)]);
    await bare();
  }
  if (only.includes('busy')) await streams('one busy work item', [await beginFocus(db)], { everyMs: BUSY_MS });
  if (only.includes('chat')) {
    const talk = await newTalk(db);
    await sayInConversation(db, talk.id, 'What is new?');
    const [file] = await db.query<{ workspace: string }>(
      'select workspace_id as workspace from animus.files where id = $1',
      [talk.id],
    );
    const path = `workspaces/${file!.workspace}/chats/${talk.id}`;
    await streams('one conversation', [await beginAnswer(db, talk)], { path });
  }
  if (only.includes('many')) {
    const items = await Promise.all(Array.from({ length: readers }, () => beginFocus(db)));
    await streams(`${readers} work items`, items, { everyMs: 20 });
  }
  if (only.includes('turns')) await turns();
} finally {
  await db.close();
  await server.stop();
}

/** `path`: what is read; by default each of the items. `everyMs`: how long the writer pauses between entries; by default as a busy agent. */
async function streams(
  what: string,
  items: readonly FocusedWork[],
  { path, everyMs = 100 }: { readonly path?: string; readonly everyMs?: number } = {},
): Promise<void> {
  const { stream, url } = await apiServer();
  const before = await stream.ask<Usage>();
  const urls = Array.from(
    { length: readers },
    (_, n) => `${url}/${path ?? `work/${items[n % items.length]!.id}`}/events`,
  );
  const clients = await join(urls);
  const joined = await stream.ask<Usage>();
  const statements = new Map<string, Statement>();
  for (let n = 0; n < entries; n++) {
    const content = `sent ${n}`;
    statements.set(`${n}`, await send(items[n % items.length]!, content));
    await sleep(everyMs);
  }
  const expected = entries * (items.length === 1 ? readers : 1);
  const arrivals = await received(clients, expected);
  const after = await stream.ask<Usage>();
  const commits = [...statements.values()].map(({ sentMs, committedMs }) => committedMs - sentMs);
  const ways = arrivals.map(({ content, atMs }) => atMs - statements.get(content)!.committedMs);
  row(`${readers} readers of ${what}`, {
    'memory per reader KiB': figure((joined.heldBytes - before.heldBytes) / 1024 / readers),
    'with garbage KiB': figure((joined.bytes - before.bytes) / 1024 / readers),
    'joining ms processor time per reader': figure((joined.cpuMs - before.cpuMs) / readers),
    'processor µs per event and reader': figure((1000 * (after.cpuMs - joined.cpuMs)) / expected),
    'commit to first reader p50 ms': figure(quantile(firstOf(arrivals, statements), 0.5)),
    'commit to reader p50 ms': figure(quantile(ways, 0.5)),
    'commit to reader p99 ms': figure(quantile(ways, 0.99)),
    'statement p50 ms': figure(quantile(commits, 0.5)),
    received: `${arrivals.length} of ${expected}`,
  });
  await Promise.all([stream.stop(), clients.stop()]);
}

/** The floor of the first row: the same clients, and a server that only writes. */
async function bare(): Promise<void> {
  const server = child('./bare-server.ts', {});
  const url = await server.line();
  const before = await server.ask<Usage>();
  const clients = await join(Array.from({ length: readers }, () => url));
  const joined = await server.ask<Usage>();
  const begun = new Map<string, number>();
  for (let n = 0; n < entries; n++) {
    begun.set(`${n}`, (await server.ask<{ begunMs: number }>(`sent ${n}`)).begunMs);
    await sleep(100);
  }
  const after = await server.ask<Usage>();
  const arrivals = await received(clients, entries * readers);
  const ways = arrivals.map(({ content, atMs }) => atMs - begun.get(content)!);
  row(
    `${readers} connections`,
    {
      'memory per reader KiB': figure((joined.heldBytes - before.heldBytes) / 1024 / readers),
      'with garbage KiB': figure((joined.bytes - before.bytes) / 1024 / readers),
      'processor µs per event and reader': figure((1000 * (after.cpuMs - joined.cpuMs)) / (entries * readers)),
      'loop to reader p50 ms': figure(quantile(ways, 0.5)),
      'loop to reader p99 ms': figure(quantile(ways, 0.99)),
      received: `${arrivals.length} of ${entries * readers}`,
    },
    'a bare loop of writes',
  );
  await Promise.all([server.stop(), clients.stop()]);
}

/** A server of the API. */
async function apiServer() {
  const stream = child('./api-server.ts', { DATABASE_URL: server.url });
  return { stream, url: await stream.line() };
}

/** Readers of these streams, who have got what has happened so far. */
async function join(urls: readonly string[]) {
  const clients = child('./clients.ts', { BENCH_URLS: JSON.stringify(urls), BENCH_TOKEN: token });
  await clients.line();
  return clients;
}

interface Arrival {
  readonly content: string;
  readonly atMs: number;
}

/** What the readers have received, once it is as much as expected, or after ten seconds. */
async function received(clients: Awaited<ReturnType<typeof join>>, expected: number): Promise<readonly Arrival[]> {
  let all: readonly Arrival[] = [];
  for (let wait = 0; wait < 20 && all.length < expected; wait++) {
    await sleep(500);
    const more = Object.entries(await clients.ask<Record<string, number[]>>());
    all = all.concat(more.flatMap(([content, times]) => times.map((atMs) => ({ content, atMs }))));
  }
  return all;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}

/** How long it took until the first reader had it, of each statement. */
function firstOf(arrivals: readonly Arrival[], statements: ReadonlyMap<string, Statement>): readonly number[] {
  const first = new Map<string, number>();
  for (const { content, atMs } of arrivals) first.set(content, Math.min(atMs, first.get(content) ?? atMs));
  return [...first].map(([content, atMs]) => atMs - statements.get(content)!.committedMs);
}

interface Statement {
  readonly sentMs: number;
  /** When its answer came, which the server sends after the commit. */
  readonly committedMs: number;
}

async function send(work: FocusedWork, content: string): Promise<Statement> {
  const nowMs = () => performance.timeOrigin + performance.now();
  const sentMs = nowMs();
  await appendLedger(db, work.id, 'note', content, { leaseToken: work.leaseToken });
  return { sentMs, committedMs: nowMs() };
}

/** In turns, so that a change of the machine's load meets both. */
async function turns(): Promise<void> {
  const rates = { without: [] as number[], with: [] as number[] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const who of ['without', 'with'] as const) {
      const { stream, url } = await apiServer();
      const items = await Promise.all([1, 2, 3, 4].map(() => beginFocus(db)));
      const urls = who === 'with' ? items.map(({ id }) => `${url}/work/${id}/events`) : [];
      const clients = await join(urls);
      rates[who].push(await turnsPerSecond(db, items, Number(values.seconds)));
      await Promise.all([stream.stop(), clients.stop()]);
    }
  }
  row('turns per second, 4 foci', {
    'without readers': figure(median(rates.without)),
    'with one reader each': figure(median(rates.with)),
    'with to without': figure(median(rates.with) / median(rates.without)),
  });
}

function row(what: string, figures: Record<string, string>, who = 'animus'): void {
  process.stdout.write(
    `${who}, ${what}: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}\n`,
  );
  report({ what, who, figures });
}

/** One of the processes; with `--apart` on a processor of its own. */
function child(file: string, env: Record<string, string>) {
  const where = values.apart ? ['taskset', '-c', file === './clients.ts' ? '1' : '0'] : [];
  return startLineProcess(new URL(file, import.meta.url), env, where);
}
