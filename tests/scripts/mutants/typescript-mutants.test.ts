import { expect, test } from 'vitest';
import { applyMutant, mutantsOf } from '../../../scripts/mutants/mutant.ts';
import { typeScriptChanges } from '../../../scripts/mutants/typescript-mutants.ts';

/** The source as each mutant has it. */
function mutated(source: string): string[] {
  return mutantsOf('a.ts', source, typeScriptChanges(source)).map((mutant) => applyMutant(source, mutant));
}

test.each<[string, string, string[]]>([
  ['a boundary', 'f(a < b);', ['f(a <= b);', ';']],
  ['equality', 'x = a === b;', ['x = a !== b;', ';']],
  ['and, or', 'x = (a && b) || c;', ['x = (a || b) || c;', 'x = (a && b) && c;', ';']],
  ['sides of ??', 'x = a ?? b;', ['x = a;', 'x = b;', ';']],
  ['a condition', 'if (a) f();', ['if (true) f();', 'if (false) f();', 'if (a) ;']],
  ['a choice', 'x = a ? b : c;', ['x = true ? b : c;', 'x = false ? b : c;', ';']],
  ['not', 'x = !a;', ['x = a;', ';']],
  [
    'arithmetic, but not the joining of texts',
    'f(a + 1 - b, `x` + y);',
    ['f(a - 1 - b, `x` + y);', 'f(a + 1 + b, `x` + y);'],
  ],
  ['a statement, awaited or not', 'await f();\ng.h();', ['await f();\n;', ';\ng.h();']],
  ['what is returned', 'function f() { return a; }', ['function f() { return undefined as never; }']],
  ['methods', 'x = a.filter(f).some(g);', ['x = a.some(g);', 'x = a.filter(f).every(g);', ';']],
  ['an optional member', 'x = a?.b;', ['x = a.b;', ';']],
  ['numbers', 'f(0, 1, 7, 5000);', ['f(1, 1, 7, 5000);', 'f(0, 0, 7, 5000);', 'f(0, 1, 8, 5000);']],
  ['words, and not what people read', "f('ended', 'It has ended.', true);", ["f('mutant', 'It has ended.', true);"]],
])('changes %s', (_what, source, expected) => {
  expect(mutated(source)).toEqual(expect.arrayContaining(expected));
});

test('leaves types, imports, keys, log calls and directives alone', () => {
  const source = [
    "'use strict';",
    "import { a } from './a.ts';",
    "type T = 'one' | 2 | true;",
    "interface I { readonly kind: 'two' }",
    "log.info({ kind: 'three' }, 'has ended');",
    "const x: Record<'four', T> = { 'five': a as 'six' };",
  ].join('\n');
  expect(mutated(source)).toEqual([]);
});

test('a mutant knows its line, and is found again by what that says', () => {
  const source = 'const a = 1;\n  if (a === 2) f();\n';
  const [equality] = mutantsOf('a.ts', source, typeScriptChanges(source)).filter(
    ({ operator }) => operator === 'equality',
  );
  expect(equality).toMatchObject({ file: 'a.ts', line: 2, in: 'if (a === 2) f();', text: '===', replacement: '!==' });
  expect(() => applyMutant(`${source} `.slice(1), equality!)).toThrow('a.ts:2 has changed');
});
