import { expect, test } from 'vitest';
import { applyMutant, mutantsOf } from '../../../scripts/mutants/mutant.ts';
import { sqlChanges } from '../../../scripts/mutants/sql-mutants.ts';

const HEAD = 'create or replace function animus.f(p_a int default 1) returns int language plpgsql as $$ begin ';

/** The bodies as each mutant has them. */
function mutated(body: string): string[] {
  const source = `${HEAD}${body} end $$;`;
  const mutants = mutantsOf('f.sql', source, sqlChanges(source)).map((mutant) => applyMutant(source, mutant));
  return mutants.map((text) => text.slice(HEAD.length, -' end $$;'.length));
}

test.each<[string, string, string[]]>([
  [
    'boundaries and and/or',
    'x := a < 2 and b;',
    ['x := a <= 2 and b;', 'x := a < 3 and b;', 'x := a < 2 or b;', 'null;'],
  ],
  ['not', 'return not a;', ['return  a;', 'return null;']],
  [
    'conditions',
    'if a or b then return; end if;',
    ['if a and b then return; end if;', 'if true then return; end if;', 'if false then return; end if;'],
  ],
  [
    'a condition with a choice in it',
    'if case when a then b end then return; end if;',
    ['if true then return; end if;', 'if false then return; end if;'],
  ],
  ['coalesce', 'return coalesce(f(a, b), c);', ['return (f(a, b));', 'return (c);', 'return null;']],
  ['limit', 'return query select a limit 5;', ['return query select a ;', 'return query select a limit 6;', 'null;']],
  [
    'locks',
    'perform from t for update skip locked;',
    ['perform from t  skip locked;', 'perform from t for update ;', 'null;'],
  ],
  ['statements', 'update t set a = b;', ['null;', 'update t set a <> b;']],
  [
    'order and functions',
    'select min(a) into b from t order by c desc;',
    ['select max(a) into b from t order by c desc;', 'select min(a) into b from t order by c ;'],
  ],
  ['exists', 'return exists (select);', ['return not exists (select);', 'return null;']],
  [
    'words, and not what people read',
    "perform f('done', 'It is done.');",
    ["perform f('mutant', 'It is done.');", 'null;'],
  ],
])('changes %s', (_what, body, expected) => {
  expect(mutated(body).toSorted()).toEqual(expected.toSorted());
});

test('leaves `between … and …`, comments and what is outside of bodies alone', () => {
  expect(mutated('return a between b and c; -- and so on')).toEqual(['return null; -- and so on']);
  expect(mutated('')).toEqual([]);
  expect(sqlChanges('create table t (a int not null default 1, check (a > 0 and a < 9));')).toEqual([]);
});

test('the body of a view is one', () => {
  const source = 'create or replace view animus.v as select a from t where b = c;\ngrant select on animus.v to r;';
  expect(sqlChanges(source)).toMatchObject([{ text: '=', replacement: '<>' }]);
});
