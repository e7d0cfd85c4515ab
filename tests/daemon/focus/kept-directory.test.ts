/** Promise: no file that an agent made is deleted before it is known that nothing will go on with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const WRITES = '[[answer]]\ncall = [{ tool = "bash", input = { command = "echo work > made.txt" } }]\n';

test('files that a focus leaves in its own directory are kept and named; a directory without files is removed', async () => {
  const daemon = await start(`${WRITES}[[answer]]\ntext = "Done."\n`, '');
  const id = await submit();
  const line = await eventually('it is said', () => daemon.lines.find((each) => each.includes('are kept')) ?? null);
  const [name] = readdirSync(root(daemon));
  expect(line).toContain(join(root(daemon), name!));
  expect(line).toContain(id);
  expect(readFileSync(join(root(daemon), name!, 'made.txt'), 'utf8')).toBe('work\n');
});

test('a directory without files is removed with its focus, and with directories_days = 0 any directory is', async () => {
  const empty = await start(
    `${WRITES.replace('echo work > made.txt', 'mkdir -p a/b && mkfifo a/pipe')}[[answer]]\ntext = "Done."\n`,
    '',
  );
  await submit();
  await gone(empty);
  await empty.stop();
  const scratch = await start(`${WRITES}[[answer]]\ntext = "Done."\n`);
  await submit();
  await gone(scratch);
});

test('a focus whose end could not be recorded leaves its directory to the one that goes on with it', async () => {
  // The moment after the last check of the lease: the item is another daemon's. Nothing completes in this database from here on.
  await target.database.query(
    `create function public.lose() returns trigger language plpgsql as $$ begin perform animus.raise('WA001', 'lease lost', new.id); end $$`,
  );
  await target.database.query(
    `create trigger lose before update on animus.work_items for each row when (new.state = 'completed') execute function public.lose()`,
  );
  const daemon = await start(`${WRITES}[[answer]]\ntext = "Done."\n`);
  await submit();
  await eventually('its end is refused', () =>
    daemon.lines.some((line) => line.includes('the lease was lost before the end was recorded')) ? true : null,
  );
  await daemon.stop();
  const [name] = readdirSync(root(daemon));
  expect(readFileSync(join(root(daemon), name ?? 'gone', 'made.txt'), 'utf8')).toBe('work\n');
});

/** The directory of the only focus was made, and is not there any more. */
async function gone(daemon: TestDaemon): Promise<void> {
  await eventually('the focus has ended', () =>
    daemon.lines.some((line) => line.includes('focus completed')) ? true : null,
  );
  expect(readdirSync(root(daemon))).toEqual([]);
}

function start(script: string, retention = '[retention]\ndirectories_days = 0\n'): Promise<TestDaemon> {
  return startTestDaemon({
    databaseUrl: target.connectionString,
    config: `[daemon]\npoll_seconds = 0.2\n${retention}`,
    script,
    files: {
      'faculties/smith.toml':
        '[faculty]\nname = "smith"\npermissions.bash = "auto"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\nbash_isolation = "none"\n',
    },
  });
}

const root = ({ directory }: TestDaemon) => join(directory, 'home', 'foci');

async function submit(): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  return row!.id;
}
