/** Promise: a focus has its own directory when something may use it, not before, and a resumed one gets a notice only where files may be lost. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/store/sql/database.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const WAIT = 'call = [{ tool = "wait_until", input = { seconds = 3600, reason = "somebody else" } }]';
const BASH = 'call = [{ tool = "bash", input = { command = "echo x > kept.txt; ls" } }]';

test('a focus that uses no files never has a directory, is resumed without a notice, and ends with its answer', async () => {
  const daemon = await start([WAIT, 'text = "Done."']);
  const id = await parked(target.database);
  expect(readdirSync(root(daemon))).toEqual([]);
  await wake(target.database, id);
  await ended(target.database, id);
  expect(await noticesOf(target.database, id)).toEqual([]);
  // Resumed, it had one.
  await eventually('its directory is gone', () => (readdirSync(root(daemon)).length === 0 ? true : null));
});

test('a command has the directory, which the focus finds again when it is resumed', async () => {
  const daemon = await start([BASH, WAIT, BASH, 'text = "Done."']);
  const id = await parked(target.database);
  expect(readdirSync(join(root(daemon), await focusOf(target.database, id)))).toEqual(['kept.txt']);
  await wake(target.database, id);
  await ended(target.database, id);
  expect(await noticesOf(target.database, id)).toEqual([]);
  await daemon.stop();
  // It holds a file, which is kept for a while.
  expect(readdirSync(root(daemon))).toHaveLength(1);
});

test('where the directory of a focus that ran a command is missing, the model gets a notice', async () => {
  const daemon = await start([BASH, WAIT, 'text = "Done."']);
  const id = await parked(target.database);
  const path = join(root(daemon), await focusOf(target.database, id));
  rmSync(path, { recursive: true });
  await wake(target.database, id);
  await ended(target.database, id);
  expect(await noticesOf(target.database, id)).toEqual([
    expect.stringMatching(/^The work continues in an empty directory/),
  ]);
  await eventually('its directory is gone', () => (existsSync(path) ? null : true));
});

test('a consolidate hook runs in the directory, and the last answer is recorded before it runs', async () => {
  const hook = '#!/bin/sh\nuntil [ -e ../../../go ]; do sleep 0.05; done\n';
  const more = '[faculty.consolidate]\ncommand = "./hook.sh"\n';
  const daemon = await start(['text = "Done."'], more, { 'faculties/hook.sh': hook });
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  await eventually('the hook runs', () =>
    existsSync(root(daemon)) && readdirSync(root(daemon)).length === 1 ? true : null,
  );
  expect(await recordedTurns(target.database, row!.id)).toBe(1);
  daemon.write('go', '');
  await ended(target.database, row!.id);
});

async function recordedTurns(db: Database, id: string): Promise<number> {
  const [row] = await db.query<{ turns: number }>('select turns from animus.work_items where id = $1', [id]);
  return row!.turns;
}

function start(
  answers: readonly string[],
  more = '',
  files: Readonly<Record<string, string>> = {},
): Promise<TestDaemon> {
  return startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
    script: answers.map((answer) => `[[answer]]\n${answer}\n`).join(''),
    files: {
      'faculties/smith.toml': `[faculty]\nname = "smith"\npermissions.bash = "auto"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\nbash_isolation = "none"\n${more}`,
      ...files,
    },
  });
}

const root = ({ directory }: TestDaemon) => join(directory, 'home', 'foci');

/** An item that waits. */
async function parked(db: Database): Promise<string> {
  const [row] = await db.query<{ id: string }>(`insert into animus.work_items (faculty) values ('smith') returning id`);
  await inState(db, row!.id, 'waiting');
  return row!.id;
}

async function wake(db: Database, id: string): Promise<void> {
  await db.query(`update animus.waits set deadline = animus.now() where work_item_id = $1`, [id]);
}

const ended = (db: Database, id: string) => inState(db, id, 'completed');

function inState(db: Database, id: string, state: string): Promise<true> {
  return eventually(`the item is ${state}`, async () => {
    const [item] = await db.query<{ state: string }>('select state from animus.work_items where id = $1', [id]);
    return item!.state === state ? true : null;
  });
}

async function focusOf(db: Database, id: string): Promise<string> {
  const [focus] = await db.query<{ id: string }>('select id from animus.foci where work_item_id = $1', [id]);
  return focus!.id;
}

async function noticesOf(db: Database, id: string): Promise<string[]> {
  const rows = await db.query<{ content: string }>(
    `select m.content from animus.focus_messages m join animus.foci f on f.id = m.focus_id where f.work_item_id = $1 and m.kind = 'notice'`,
    [id],
  );
  return rows.map((row) => row.content);
}
