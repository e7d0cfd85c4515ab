import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseTests, readCandidates } from '../../../scripts/mutants/choose-tests.ts';
import type { Mutant } from '../../../scripts/mutants/mutant.ts';
import { readReach } from '../../../scripts/mutants/reach.ts';
import { temporaryHome } from '../../support/database.ts';

const FILES: Readonly<Record<string, string>> = {
  'src/core/a.ts': 'export const a = 1;\n',
  'src/core/b.ts': "import { a } from './a.ts';\nimport type { C } from './c.ts';\nexport const b = a;\n",
  'src/core/c.ts': "export type C = string;\nexport const query = 'select animus.ask_person($1)';\n",
  'src/process/starts.ts': 'const main = new URL(`./main-thread${extension}`, import.meta.url);\n',
  'src/process/main-thread.ts': 'f();\n',
  'migrations/functions/00_triggers.sql':
    'create trigger t before insert on animus.asks\n  for each row execute function animus.t();',
  'migrations/functions/01_a.sql': [
    'create or replace function animus.inner(p int) returns int language sql as $$ select 1 $$;',
    'create or replace function animus.ask_person(p int) returns void language sql as $$ select animus.inner(p) $$;',
    'create or replace function animus.t() returns trigger language plpgsql as $$ begin return new; end $$;',
    'create or replace function animus.asks_more() returns void language sql as $$ insert into animus.asks values (1) $$;',
  ].join('\n'),
  'tests/core/a.test.ts': "import { a } from '../../src/core/a.ts';\n",
  'tests/core/other.test.ts': '',
  'tests/http/uses-b.test.ts': "import { b } from '../../src/core/b.ts';\n",
  'tests/http/uses-c.test.ts': "import { query } from '../../src/core/c.ts';\n",
  'tests/store/more.test.ts': "const sql = 'select animus.asks_more()';\n",
  'tests/process/starts.test.ts':
    "import '../../src/process/starts.ts';\nimport { x } from '../../src/process/starts.ts';\n",
  'tests/e2e/slow.test.ts': "import { a } from '../../src/core/a.ts';\n",
  'tests/store/migrations/schema.test.ts': "const sql = 'select animus.inner(1)';\n",
};

const root = temporaryHome();
for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
const choice = { reach: readReach(root), candidates: readCandidates(root), most: 9, whole: false };

/** The tests for a change where `text` begins. */
function testsOf(file: string, text = FILES[file]!): string[] {
  const start = FILES[file]!.indexOf(text);
  const mutant: Mutant = { file, start, text, replacement: '', operator: '', line: 1, in: '' };
  return chooseTests(mutant, choice);
}

test('those of its name first, then those of its room, then by imports; no slow ones, and none through types alone', () => {
  expect(testsOf('src/core/a.ts')).toEqual([
    'tests/core/a.test.ts',
    'tests/http/uses-b.test.ts',
    'tests/core/other.test.ts',
  ]);
  expect(testsOf('src/core/c.ts')[0]).toBe('tests/http/uses-c.test.ts');
});

test('a thread is reached by what starts it', () => {
  expect(testsOf('src/process/main-thread.ts')).toEqual(['tests/process/starts.test.ts']);
});

test('an SQL function by those that call it, through functions, triggers and sources; not by tests of texts', () => {
  expect(testsOf('migrations/functions/01_a.sql', 'select 1')).toEqual(['tests/http/uses-c.test.ts']);
  expect(testsOf('migrations/functions/01_a.sql', 'return new')).toEqual(['tests/store/more.test.ts']);
});

test('of tests as near as each other, those that contain a rare word of the line come first', () => {
  const file = 'src/core/a.ts';
  const mutant = { file, start: 0, text: '', replacement: '', operator: '', line: 1, in: 'if (isSurrogate) throw' };
  const words = (text: string) => new Set(text.split(' '));
  const candidates = choice.candidates.map((each) => ({ ...each, words: words('other words') }));
  const other = candidates.find(({ test }) => test === 'tests/core/other.test.ts')!;
  const told = [...candidates.filter((each) => each !== other), { ...other, words: words('issurrogate') }];
  expect(chooseTests(mutant, { ...choice, candidates: told }).slice(0, 2)).toEqual([
    'tests/core/a.test.ts',
    'tests/core/other.test.ts',
  ]);
});

test('what an upgrade runs outside of functions, by the tests of the store', () => {
  expect(testsOf('migrations/functions/00_triggers.sql')).toEqual(['tests/store/more.test.ts']);
});

test('with --whole the others follow', () => {
  const mutant = { file: 'src/core/a.ts', start: 0, text: '', replacement: '', operator: '', line: 1, in: '' };
  const all = chooseTests(mutant, { ...choice, whole: true });
  expect(all).toHaveLength(6);
  expect(all[0]).toBe('tests/core/a.test.ts');
});
