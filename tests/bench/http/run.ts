/**
 * Event streams: many readers of one work item, of one conversation, and of as many different work items (memory and processor time of the server, time from a commit to
 * each reader), a bare loop of writes to as many connections beside it, and turns per second with and without readers.
 * `node tests/bench/http/run.ts [--readers 1000] [--entries 100] [--seconds 4] [--rounds 3] [--only one,chat,many,turns]`.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { sayInConversation } from '../../../src/store/conversations/conversations.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { beginAnswer, newTalk } from '../../store/conversations/talk.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import type { Usage } from '../../support/usage.ts';
import { benchServer, median } from '../support/bench-database.ts';
import { figure, report } from '../support/report.ts';
import { turnsPerSecond } from './turns.ts';

const { values } = parseArgs({
  options: {
    readers: { type: 'string', default: '1000' },
    entries: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'one,chat,many,turns' },
  },
});
const readers = Number(values.readers);
const entries = Number(values.entries);
const only = values.only.split(',');

const server = await benchServer();
const db = openPostgres(server.url, { poolSize: 20 });
try {
  if (only.includes('one')) {
    await streams('one work item', [await beginFocus(db)]);
    await bare();
  }
  if (only.includes('chat')) {
    const talk = await newTalk(db);
    await sayInConversation(db, talk.id, 'What is new?');
    await streams('one conversation', [await beginAnswer(db, talk)], `chats/${talk.id}`);
  }
  if (only.includes('many')) {
    await streams(`${readers} work items`, await Promise.all(Array.from({ length: readers }, () => beginFocus(db))));
  }
  if (only.includes('turns')) await turns();
} finally {
  await db.close();
  await server.stop();
}

/** `path`: what is read; by default each of the items. */
async function streams(what: string, items: readonly FocusedWork[], path?: string): Promise<void> {
  const stream = child('../../support/event-server-process.ts', { DATABASE_URL: server.url });
  const url = await stream.line();
  const before = await stream.ask<Usage>();
  const urls = Array.from(
    { length: readers },
    (_, n) => `${url}/${path ?? `work/${items[n % items.length]!.id}`}/events`,
  );
  const clients = child('./clients.ts', { BENCH_URLS: JSON.stringify(urls) });
  await clients.line();
  const joined = await stream.ask<Usage>();
  const statements: number[] = [];
  for (let n = 0; n < entries; n++) {
    statements.push(await send(items[n % items.length]!));
    // As often as a busy agent; what is measured is the way, not a queue.
    await new Promise((resolve) => setTimeout(resolve, items.length === 1 ? 100 : 20));
  }
  const expected = entries * (items.length === 1 ? readers : 1);
  const latencies: number[] = [];
  for (let wait = 0; wait < 20 && latencies.length < expected; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    latencies.push(...(await clients.ask<number[]>()));
  }
  const after = await stream.ask<Usage>();
  row(`${readers} readers of ${what}`, {
    'memory per reader KiB': figure((joined.heldBytes - before.heldBytes) / 1024 / readers),
    'with garbage KiB': figure((joined.bytes - before.bytes) / 1024 / readers),
    'joining ms processor time per reader': figure((joined.cpuMs - before.cpuMs) / readers),
    'processor µs per event and reader': figure((1000 * (after.cpuMs - joined.cpuMs)) / expected),
    'statement to reader p50 ms': figure(quantile(latencies, 0.5)),
    'of which the statement p50 ms': figure(quantile(statements, 0.5)),
    'p99 ms': figure(quantile(latencies, 0.99)),
    received: `${latencies.length} of ${expected}`,
  });
  await Promise.all([stream.stop(), clients.stop()]);
}

/** The floor of the first row: the same clients, and a server that only writes. */
async function bare(): Promise<void> {
  const server = child('./bare-server.ts', {});
  const url = await server.line();
  const before = await server.ask<Usage>();
  const clients = child('./clients.ts', { BENCH_URLS: JSON.stringify(Array.from({ length: readers }, () => url)) });
  await clients.line();
  const joined = await server.ask<Usage>();
  for (let n = 0; n < entries; n++) {
    await server.ask<object>('send');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const after = await server.ask<Usage>();
  const latencies = await clients.ask<number[]>();
  row(
    `${readers} connections`,
    {
      'memory per reader KiB': figure((joined.heldBytes - before.heldBytes) / 1024 / readers),
      'with garbage KiB': figure((joined.bytes - before.bytes) / 1024 / readers),
      'processor µs per event and reader': figure((1000 * (after.cpuMs - joined.cpuMs)) / (entries * readers)),
      'loop to reader p50 ms': figure(quantile(latencies, 0.5)),
      'p99 ms': figure(quantile(latencies, 0.99)),
      received: `${latencies.length} of ${entries * readers}`,
    },
    'a bare loop of writes',
  );
  await Promise.all([server.stop(), clients.stop()]);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}

/** Returns the milliseconds until the answer, which comes after the commit. */
async function send(work: FocusedWork): Promise<number> {
  const at = performance.timeOrigin + performance.now();
  await appendLedger(db, work.id, 'note', `sent ${at}`, { leaseToken: work.leaseToken });
  return performance.timeOrigin + performance.now() - at;
}

/** In turns, so that a change of the machine's load meets both. */
async function turns(): Promise<void> {
  const rates = { without: [] as number[], with: [] as number[] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const who of ['without', 'with'] as const) {
      const stream = child('../../support/event-server-process.ts', { DATABASE_URL: server.url });
      const url = await stream.line();
      const items = await Promise.all([1, 2, 3, 4].map(() => beginFocus(db)));
      const urls = who === 'with' ? items.map(({ id }) => `${url}/work/${id}/events`) : [];
      const clients = child('./clients.ts', { BENCH_URLS: JSON.stringify(urls) });
      await clients.line();
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

/** A process that answers each line with a line. */
function child(file: string, env: Record<string, string>) {
  const started: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    [...process.execArgv, new URL(file, import.meta.url).pathname],
    {
      env: { ...process.env, ...env },
    },
  );
  started.stderr.pipe(process.stderr);
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const line = async () => (await lines.next()).value as string;
  return {
    line,
    async ask<Answer>(question = ''): Promise<Answer> {
      started.stdin.write(`${question}\n`);
      return JSON.parse(await line()) as Answer;
    },
    async stop() {
      const gone = new Promise((resolve) => started.once('exit', resolve));
      started.stdin.end();
      await gone;
    },
  };
}
