import { expect, test } from 'vitest';
import type { Status } from '../../../../../src/client/client.ts';
import {
  knownFaculties,
  problemsOf,
  problemText,
  quantile,
} from '../../../../../src/console/pages/agents/faculties/known.ts';

type Sources = Parameters<typeof knownFaculties>[0];

test('knows what is served, what has cost something and what is queued, by name', () => {
  const known = knownFaculties({
    served: [{ name: 'writer' }] as unknown as Sources['served'],
    spend: [{ faculty: 'gone', usd: 1 }, { faculty: null }] as unknown as Sources['spend'],
    status: {
      pauses: [{ faculty: 'gone', reason: 'why' }] as unknown as Status['pauses'],
      queue: [{ faculty: 'new', queued: 3 }] as unknown as Status['queue'],
    },
  });
  expect(
    known.map(({ name, served, queued, spend, pause }) => [name, served !== null, queued, spend?.usd, pause?.reason]),
  ).toEqual([
    ['gone', false, 0, 1, 'why'],
    ['new', false, 3, undefined, undefined],
    ['writer', true, 0, undefined, undefined],
  ]);
});

test('a pause of everything is one of each', () => {
  const known = knownFaculties({
    served: [{ name: 'a' }, { name: 'b' }] as unknown as Sources['served'],
    spend: [],
    status: { pauses: [{ faculty: '*' }] as unknown as Status['pauses'], queue: [] },
  });
  expect(known.every(({ pause }) => pause !== null)).toBe(true);
});

test('problems are those of running daemons, each once with its hosts', () => {
  const daemons = [
    { alive: true, host: 'b', problems: ['x.toml:3: no', { about: 'claims', message: 'full' }] },
    { alive: true, host: 'a', problems: ['x.toml:3: no'] },
    { alive: false, host: 'c', problems: ['old'] },
  ] as unknown as Status['daemons'];
  expect(problemsOf(daemons)).toEqual([
    { text: 'x.toml:3: no', hosts: 'a, b' },
    { text: 'full', hosts: 'b' },
  ]);
  expect(problemText({ odd: 1 })).toBe('{"odd":1}');
  expect(problemText(null)).toBe('null');
});

test('quantiles are values that occur', () => {
  expect(quantile([], 0.5)).toBeNull();
  expect(quantile([7], 0.95)).toBe(7);
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(
    quantile(
      Array.from({ length: 100 }, (_, index) => index + 1),
      0.95,
    ),
  ).toBe(95);
});
