/**
 * Promise: whatever a server, database or role sets, animus does what it does on any server, and an application is served or refused with words.
 *
 * Prints the matrix as a table. `ANIMUS_TEST_MATRIX=whole` also installs animus, dumps and restores under each setting, not only under those that once broke it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { OLDER_POSTGRES } from '../../support/older-postgres.ts';
import { asAnimus, asApplication, COLLIDING, configure, install, RIGHT, ROWS } from './setting-matrix.ts';
import { NO_TRIGGERS, RESTORED, type Restores, startRestores } from './setting-restore.ts';
import { type Cells, cellsOf, tableOf } from './setting-table.ts';

const WHOLE = process.env['ANIMUS_TEST_MATRIX'] === 'whole';
const INSTALLED = /^(standard_conforming_strings|search_path = app|restrict_|session_replication_role|\d+ settings)/;
const RESTORED_UNDER = /^(standard_conforming_strings|\d+ settings)/;

const table = new Map<string, Cells>();
let restores: Restores | null = null;
beforeAll(async () => {
  if (OLDER_POSTGRES !== null) restores = await startRestores(OLDER_POSTGRES);
});
afterAll(async () => {
  await restores?.stop();
  process.stdout.write(tableOf(table));
});

describe.each(ROWS)('$title', ({ title, settings, application }) => {
  const installs = WHOLE || INSTALLED.test(title);
  const target = testDatabase({ empty: installs });

  test('changes nothing for animus, and what it does to an application is known', async (context) => {
    await target.database.query(COLLIDING);
    if (!(await configure(target.database, settings))) context.skip(`the server does not know ${title}`);
    const session = target.open({ poolSize: 2 });
    if (installs) expect(await install(session)).toBeGreaterThan(60);
    const own = await asAnimus(session);
    await session.query(`delete from animus.schedules`);
    const theirs = await asApplication(target.connectionString);
    table.set(title, { ...cellsOf(own, theirs), ...(installs && { install: 'right' }) });
    expect(own).toEqual(RIGHT);
    expect(theirs).toEqual(application);
  });

  test.runIf(WHOLE || RESTORED_UNDER.test(title))(
    'lets a dump be restored, by a superuser and by a plain owner',
    async (context) => {
      if (restores === null) return context.skip('no server is installed');
      const outcomes = await restores.restore(settings);
      const owner = title.endsWith('= replica') ? NO_TRIGGERS : RESTORED;
      expect(outcomes).toEqual({ postgres: RESTORED, animus_owner: owner });
      const restore =
        owner === RESTORED ? 'right' : `right; the plain owner is refused: ${String(outcomes['animus_owner'])}`;
      table.set(title, { ...table.get(title), restore });
    },
  );
});
