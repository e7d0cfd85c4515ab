import { expect, test } from 'vitest';
import { embeddedDatabase } from '../../support/database.ts';

const target = embeddedDatabase({ poolSize: 20 });

test('statements that are sent together are one transaction: after one that fails, none runs', async () => {
  const opening = (value: string) => ({ sql: `select set_config('animus.test', $1, true)`, params: [value] });
  const fails = { sql: 'select 1 / $1::int', params: [0] };
  const seen = `select current_setting('animus.test', true) as seen, $1::int as n`;
  await target.database.query('create table together (n int)');
  const asked = Array.from({ length: 60 }, (_, n) => n);
  const answers = await Promise.all(
    asked.flatMap((n) => [
      target.database.queryAfter(opening(`${n}`), seen, [n]),
      target.database.transaction((tx) => tx.query(seen, [n]), opening(`${n}`)),
      target.database.queryAfter(fails, 'insert into together values ($1)', [n]).catch(() => 'failed'),
      target.database
        .transaction((tx) => tx.query('insert into together values ($1)', [n]), fails)
        .catch(() => 'failed'),
    ]),
  );
  expect(answers).toEqual(asked.flatMap((n) => [[{ seen: `${n}`, n }], [{ seen: `${n}`, n }], 'failed', 'failed']));
  expect(await target.database.query('select count(*)::int as n from together')).toEqual([{ n: 0 }]);
});
