import { expect, test } from 'vitest';
import { statementsOf } from './statements.ts';

test.each([
  ['two', 'select 1;\nselect 2;\n', ['select 1;', '\nselect 2;']],
  ['a function', 'create f as $$ begin a; end $$;\nb;', ['create f as $$ begin a; end $$;', '\nb;']],
  ['semicolons in text', `select ';', "a;b"; -- c;\nd`, [`select ';', "a;b";`, ' -- c;\nd']],
  ['a comment at the end', 'select 1;\n-- done;\n', ['select 1;']],
])('SQL with %s is sent in pieces', (_name, sql, pieces) => expect(statementsOf(sql)).toEqual(pieces));
