// Also on the wire openai.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { LAUNCHER, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';

const ANSWER = 'I look at one part of the work after the other, and say of each how it is. '.repeat(8).trim();

const FACULTY = `
[faculty]
name = "teller"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You tell."
`;

const pg = testDatabase({ anew: true });

it('an answer can be read in another process while it streams; a late reader gets all of it, once', async () => {
  // About two seconds of stream: the first pieces are sent long before the last.
  const server = await startModelServer(() => ({ content: [text(ANSWER)], pieceBytes: 100, everyMs: 25 }));
  const site = makeSite({ modelUrl: server.url, databaseUrl: pg.connectionString, faculties: { teller: FACULTY } });
  const [item] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('teller', 'Tell it') returning id`,
  );
  const live = tail(site, item!.id);
  const another = tail(site, item!.id);
  await eventually('both listen on one channel', async () => {
    const [row] = await pg.database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity a join animus.watches w on a.query ilike 'listen%' || w.text_channel || '%'`,
    );
    return row!.n === 2 ? row! : null;
  });
  await startDaemon(site);
  for (const { events, ended } of [live, another]) {
    expect(await ended).toBe(0);
    const kinds = events.map(({ type, live: isHint = false }) => (isHint ? `live ${type}` : type));
    const texts = events.filter(({ type, live: isHint }) => type === 'text' && isHint);
    expect(kinds.indexOf('live text')).toBeGreaterThan(kinds.lastIndexOf('state'));
    expect(kinds.lastIndexOf('live text')).toBeLessThan(kinds.indexOf('turn'));
    expect(texts.length).toBeGreaterThan(1);
    expect(ANSWER.startsWith(texts.map((event) => event.text).join(''))).toBe(true);
    expect(events.filter(({ type, live: isHint }) => type === 'text' && !isHint)).toMatchObject([{ text: ANSWER }]);
  }

  const { stdout } = await runAnimus(site, ['work', 'tail', item!.id, '--json']);
  const late = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
  expect(late).toEqual(live.events.filter((event) => !event.live));
}, 180_000);

interface Event {
  readonly type: string;
  readonly live?: true;
  readonly text?: string;
}

/** `animus work tail --json` as a process, and its output. */
function tail(site: Site, id: string) {
  const child = spawn(process.execPath, [LAUNCHER, 'work', 'tail', id, '--json'], {
    env: site.env,
    cwd: site.directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const events: Event[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => events.push(JSON.parse(line) as Event));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => resolve(code));
  });
  return { events, ended };
}
