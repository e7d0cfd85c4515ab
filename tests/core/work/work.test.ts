import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BIRTH_STATES, isTerminal, TERMINAL_STATES, TRANSITIONS, WORK_STATES } from '../../../src/core/work/work.ts';

const PAGE = readFileSync(new URL('../../../docs/states.md', import.meta.url), 'utf8');

test('the table of docs/states.md matches the table in the code', () => {
  const rows = [...PAGE.matchAll(/^\| +[*_]?([a-z]+)[*_]? +\| +([a-z]+) +\|/gm)]
    .map(([, from, to]) => `${from} ${to}`)
    .filter((row) => row !== 'from to' && row !== 'place where');
  expect(rows.sort()).toEqual([...births('insert'), ...transitions()].sort());
});

test('the diagram of docs/states.md has the same transitions', () => {
  const arrows = [...PAGE.matchAll(/^ {4}(\[\*\]|\w+) --> (\w+)(?::|$)/gm)].map(([, from, to]) => `${from} ${to}`);
  expect(arrows.sort()).toEqual([...births('[*]'), ...transitions()].sort());
});

test('only a retry leaves a final state', () => {
  for (const state of WORK_STATES) {
    expect(isTerminal(state)).toBe((TERMINAL_STATES as readonly string[]).includes(state));
    if (isTerminal(state)) expect(TRANSITIONS[state].filter((to) => to !== 'queued')).toEqual([]);
    else expect(TRANSITIONS[state]).toContain('cancelled');
  }
});

function births(from: string): string[] {
  return BIRTH_STATES.map((to) => `${from} ${to}`);
}

function transitions(): string[] {
  return WORK_STATES.flatMap((from) => TRANSITIONS[from].map((to) => `${from} ${to}`));
}
