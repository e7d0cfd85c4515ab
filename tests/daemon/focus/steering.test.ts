/** Promise: a message that comes before the end of the work is read before it, whatever stands between the last answer and the end. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { startTestDaemon, type TestDaemonOptions } from '../../support/daemon.ts';
import { temporaryHome, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
const home = temporaryHome();
const SCRIPT = `
[[answer]]
text = "Done."
delay_ms = 700
[[answer]]
text = "Done with the rest."
when = { contains = "the rest" }
`;

const faculty = (more = '', engage = '') =>
  `[faculty]\nname = "smith"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n${engage}\n[faculty.awareness]\nenabled = false\n${more}`;

async function start(toml: string, options: Partial<TestDaemonOptions> = {}) {
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: SCRIPT,
    config: '[daemon]\npoll_seconds = 0.2\n',
    files: { 'faculties/smith.toml': toml },
    ...options,
  });
  const [item] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  return { daemon, id: item!.id };
}

const begun = (id: string, turn: number) =>
  eventually(`turn ${turn} is begun`, async () => {
    const rows = await pg.database.query(
      `select from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1 and t.turn = $2`,
      [id, turn],
    );
    return rows.length > 0 ? true : null;
  });

const ended = (id: string) =>
  eventually('the work has ended', async () => {
    const [row] = await pg.database.query<{
      state: string;
      outcome: unknown;
      attempts: number;
      foci: number;
      resolved: boolean;
    }>(
      `select state, outcome, attempts, (select count(*)::int from animus.foci where work_item_id = w.id) as foci, resolved_at is not null as resolved
         from animus.work_items w where id = $1`,
      [id],
    );
    return row!.resolved ? row! : null;
  });

describe('a message while the model gives its last answer', () => {
  it('is read by the same focus before the work ends', async () => {
    const { daemon, id } = await start(faculty());
    await begun(id, 1);
    await sayWork(pg.database, id, 'and the rest');
    expect(await ended(id)).toMatchObject({
      state: 'completed',
      outcome: { text: 'Done with the rest.' },
      attempts: 0,
      foci: 1,
    });
    expect(daemon.lines.join('\n')).toContain('it goes on with them');
  });

  it('is not read if no turn is left: the work ends, and the mailbox says why', async () => {
    const { id } = await start(faculty('', 'max_turns = 1'));
    await begun(id, 1);
    await sayWork(pg.database, id, 'and the rest');
    expect(await ended(id)).toMatchObject({ state: 'completed', outcome: { text: 'Done.' } });
    const [mail] = await pg.database.query('select not_delivered from animus.mailbox where work_item_id = $1', [id]);
    expect(mail).toEqual({ not_delivered: 'no turn was left (max_turns)' });
  });
});

it('a message while consolidate runs is read, and consolidate runs again at the new end', async () => {
  const [runs, gate] = [join(home, 'runs'), join(home, 'gate')];
  const { id } = await start(faculty('[faculty.consolidate]\ncommand = "hook"'), {
    files: {
      'faculties/smith.toml': faculty('[faculty.consolidate]\ncommand = "./hook"'),
      'faculties/hook': `#!/bin/sh\necho run >> ${runs}\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\n`,
    },
  });
  await eventually('the hook runs', () => (existsSync(runs) ? true : null));
  await sayWork(pg.database, id, 'and the rest');
  writeFileSync(gate, '');
  expect(await ended(id)).toMatchObject({ state: 'completed', outcome: { text: 'Done with the rest.' } });
});

it('work of an external command reads no messages, and says so', async () => {
  const gate = join(home, 'external-gate');
  const external = '[faculty]\nname = "smith"\n[faculty.engage]\nmode = "external"\ncommand = "./work"\n';
  const { id } = await start(external, {
    files: {
      'faculties/smith.toml': external,
      'faculties/work': `#!/bin/sh\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\necho '{"outcome": {"by": "hand"}}'\n`,
    },
  });
  await expect(sayWork(pg.database, id, 'Hello')).rejects.toMatchObject({ code: 'work.state' });
  // As one that was said before the faculty became external.
  await pg.database.query(
    `with m as (insert into animus.mailbox (work_item_id, author, author_is, text, created_at) values ($1, 'a', 'operator', 'x', now()))
     update animus.work_items set has_mail = true where id = $1`,
    [id],
  );
  writeFileSync(gate, '');
  expect(await ended(id)).toMatchObject({ state: 'completed', outcome: { by: 'hand' } });
  const [mail] = await pg.database.query('select not_delivered from animus.mailbox where work_item_id = $1', [id]);
  expect(mail).toEqual({ not_delivered: 'the command of an external faculty does not read messages' });
});

it('a parked focus that is woken gets the result of its call, then the message', async () => {
  const { id } = await start(faculty(), {
    script: `
      [[answer]]
      call = [{ tool = "wait_until", input = { seconds = 3600, reason = "paint" } }]
      [[answer]]
      text = "I go on."
      when = { contains = "the paint is dry" }`,
  });
  await eventually('it is parked', async () => {
    const rows = await pg.database.query(`select from animus.work_items where id = $1 and state = 'waiting'`, [id]);
    return rows.length > 0 ? true : null;
  });
  await sayWork(pg.database, id, 'the paint is dry', true);
  expect(await ended(id)).toMatchObject({ state: 'completed', outcome: { text: 'I go on.' } });
  const [call] = await pg.database.query<{ output: string }>(
    `select output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1`,
    [id],
  );
  expect(call!.output).toMatch(/^interrupted: a message to you ended this wait/);
});
