import { expect, test } from 'vitest';
import { examineFaculties } from '../../../../src/cli/doctor/site/host.ts';

test('every problem of the files of faculties is one, whatever else is there', () => {
  const found = (names: readonly string[], problems: readonly string[]) =>
    examineFaculties('/f', {
      faculties: new Map(names.map((name) => [name, {}])),
      problems: problems.map((message) => ({ message })),
    } as never);
  expect(found(['a'], ['b.toml: no', 'c.toml: no'])).toMatchObject([
    { check: 'faculties', state: 'problem', detail: 'b.toml: no' },
    { check: 'faculties', state: 'problem', detail: 'c.toml: no' },
  ]);
  expect(found([], [])).toMatchObject([{ state: 'note', detail: 'no faculty files in /f' }]);
  expect(found(['a', 'b'], [])).toMatchObject([{ state: 'ok', detail: 'a, b in /f' }]);
});
