/** Promise: no file that an agent made is deleted before it is known that nothing will go on with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const WRITES = '[[answer]]\ncall = [{ tool = "bash", input = { command = "echo work > made.txt" } }]\n';

test('a focus whose end could not be recorded leaves its directory to the one that goes on with it', async () => {
  // The moment after the last check of the lease: the item is another daemon's.
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

function start(script: string): Promise<TestDaemon> {
  return startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
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
