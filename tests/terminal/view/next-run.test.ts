import { expect, test } from 'vitest';
import { nextRun } from '../../../src/terminal/view/next-run.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const OPEN = '0197a000-0000-7000-8000-6b8cb549703c';
const SCHEDULE = { paused: false, next_at: '2026-03-01T12:03:00Z', overlap: 'queue', open_item: OPEN } as const;
const DUE = '2026-03-01T12:00:00Z';

test.each([
  ['one that will run', {}, 'in 3 min'],
  ['one that is paused', { paused: true }, { text: 'paused', style: 'yellow' }],
  ['one whose next time is not known yet', { next_at: null }, null],
  ['a run that is due, behind the item before', { next_at: DUE }, { text: 'after 6b8cb549703c', style: 'yellow' }],
  ['a run that is due, behind nothing', { next_at: DUE, open_item: null }, '0 ms ago'],
  ['a run that is due and does not wait', { next_at: DUE, overlap: 'skip' }, '0 ms ago'],
] as const)('%s', (_what, changed, shown) => {
  expect(nextRun({ ...SCHEDULE, ...changed }, NOW)).toEqual(shown);
});
