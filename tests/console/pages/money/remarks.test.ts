import { expect, test } from 'vitest';
import { remarksOf } from '../../../../src/console/pages/money/remarks.ts';

const SURE = { unpriced_calls: 0, estimated_usd: 0, lost_usd: 0, lost_requests: 0, uncounted_calls: 0, code_runs: 0 };

test('a certain sum needs no remark', () => {
  expect(remarksOf(SURE)).toEqual([]);
});

test('says what is guessed, lost or missing', () => {
  expect(remarksOf({ ...SURE, unpriced_calls: 1, estimated_usd: 0.5, lost_requests: 2, lost_usd: 1 })).toEqual([
    '1 call of unknown cost not included',
    '$0.50 estimated',
    '2 lost requests, which may have cost $1.00',
  ]);
  expect(remarksOf({ ...SURE, uncounted_calls: 3, lost_requests: 1 })).toEqual([
    '1 lost request, which may have cost $0',
    'tokens of 3 calls not counted',
  ]);
});
