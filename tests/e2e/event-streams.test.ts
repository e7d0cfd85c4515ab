import { expect, it } from 'vitest';
import { BEGINNING, writeCursor } from '../../src/store/events/position.ts';
import { readPages } from '../../src/store/events/read-events.ts';
import { type DaemonProcess, makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { type GotEvent, readEventStream } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { startKillableServer } from '../support/killed-event-server.ts';

const pg = testDatabase({ anew: true });
const TURNS = 4;
const FACULTY = `
[faculty]
name = "worker"
description = "Works"
[faculty.engage]
model = "play/any"
system_prompt = "You work."
tools = ["list_dir", "bash"]
`;
const CONFIG = `
[daemon]
lease_seconds = 5
poll_seconds = 1
[providers.play]
kind = "scripted"
script = "script.toml"
`;
/** Each turn thinks, says something slowly, writes to the ledger and looks around, twice at once. */
const SCRIPT = `${Array.from(
  { length: TURNS },
  (_, n) => `
[[answer]]
text = "Turn ${n + 1} says a few words, one after the other."
thinking = "What now?"
piece_delay_ms = 20
[[answer.call]]
tool = "ledger_append"
input = { type = "finding", content = "found ${n + 1}" }
[[answer.call]]
tool = "list_dir"
input = { path = "." }
[[answer.call]]
tool = "bash"
input = { command = "sleep 5" }
`,
).join('')}
[[answer]]
text = "Done."
`;

it('a reader gets each event once, although server and daemon are killed again and again', {
  timeout: 300_000,
}, async () => {
  const site = makeSite({
    modelUrl: null,
    databaseUrl: pg.connectionString,
    config: CONFIG,
    faculties: { worker: FACULTY },
    files: { 'script.toml': SCRIPT },
  });
  const daemon = await startDaemon(site);
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('worker', 'look around') returning id`,
  );
  const { id } = row!;
  const got: GotEvent[] = [];
  const killing = killTwice(site, daemon, id);
  // The server is killed after every event, so that the reader goes on from each of them.
  for (let next = await startKillableServer(pg.connectionString); got.at(-1)?.type !== 'done'; ) {
    const reader = await readEventStream(`${next.url}/work/${id}/events`, { after: got.at(-1)?.id ?? null });
    got.push(await reader.until((event) => event.id !== null));
    const following = startKillableServer(pg.connectionString);
    await next.kill();
    await reader.ended;
    next = await following;
  }
  await killing;

  const [page] = await readPages(pg.database, [{ id, from: BEGINNING }], 10_000);
  const all = page!.events.map(({ event, after }) => ({ type: event.type, id: writeCursor(id, after) }));
  expect(all.length).toBeGreaterThan(TURNS * 6);
  // Only what was written without the item's other parts, such as two notes of one moment, may be in another order.
  expect(new Set(got.map(({ data: { id: _id, ...rest } }) => JSON.stringify(rest))).size).toBe(got.length);
  expect(got.map(({ type }) => type).toSorted()).toEqual(all.map(({ type }) => type).toSorted());
  expect(got.filter(({ data }) => data['resumed'] === true).length).toBeGreaterThanOrEqual(2);
  expect(got.filter(({ type }) => type === 'ledger').map(({ data }) => data['seq'])).toEqual(
    Array.from({ length: TURNS }, (_, n) => n + 1),
  );
});

/** Kills the daemon when the focus has begun, and the next one when it was resumed. The reader may be far behind. */
async function killTwice(site: Site, first: DaemonProcess, id: string): Promise<void> {
  let daemon = first;
  for (const resumes of [0, 1]) {
    await eventually('a daemon works', async () => {
      const [row] = await pg.database.query(
        `select from animus.foci f join animus.work_items w on w.id = f.work_item_id where w.id = $1 and w.state = 'running' and f.resumes = $2`,
        [id, resumes],
      );
      return row ?? null;
    });
    await daemon.kill('SIGKILL');
    daemon = await startDaemon(site);
  }
}
