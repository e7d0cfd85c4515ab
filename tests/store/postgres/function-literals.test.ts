/** Promise: a SQL function does the same in every session, also where ordinary literals read backslashes (`standard_conforming_strings = off`). */
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

/** A comment, a literal that begins with E and may go on in the next lines, or an ordinary literal. */
const PARTS = /--[^\n]*|\bE'(?:[^'\\]|\\.|'\s*\n\s*'|'')*'|'(?:[^']|'')*'/gis;

test('only literals that begin with E contain a backslash', async () => {
  const functions = await target.database.query<{ name: string; source: string }>(
    `select proname as name, prosrc as source from pg_proc where pronamespace = 'animus'::regnamespace`,
  );
  expect(functions.length).toBeGreaterThan(500);
  const found = functions.flatMap(({ name, source }) =>
    [...source.matchAll(PARTS)]
      .filter(([part]) => part.startsWith("'") && part.includes('\\'))
      .map(([part]) => `${name}: ${part}`),
  );
  expect(found).toEqual([]);
});

test('the roles get the same rights', async () => {
  const rightsWhere = async (conforming: 'on' | 'off') => {
    // A session of its own: it reads the text of a function once.
    const session = target.open({ poolSize: 1 });
    return session.transaction(async (tx) => {
      await tx.query(`set local standard_conforming_strings = ${conforming}`);
      return tx.query(
        `select p.oid::regprocedure::text as function, r.role from pg_proc p cross join unnest(animus.roles()) r (role)
          where p.pronamespace = 'animus'::regnamespace and animus.role_may_call(r.role, p.proname, p.prosecdef, p.prosrc) order by 1, 2`,
      );
    });
  };
  expect(await rightsWhere('off')).toEqual(await rightsWhere('on'));
});
