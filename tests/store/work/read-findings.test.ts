import { expect, test } from 'vitest';
import { type Finding, recentFindings } from '../../../src/store/work/findings.ts';
import { recordFindings } from '../../daemon/findings/record-findings.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test('findings are read newest first, page by page, each once, without those of the scribe', async () => {
  await recordFindings(
    target.database,
    Array.from({ length: 25 }, (_, n) => ({
      text: `finding ${n}`,
      secondsAgo: 1000 - Math.floor(n / 10),
      faculty: n === 24 ? 'scribe' : 'reader',
    })),
  );
  await recordFindings(target.database, [{ text: 'too old', secondsAgo: 7200 }]);
  const read: Finding[] = [];
  for (let before: Finding | null = null; ; ) {
    const page: Finding[] = await recentFindings(target.database, Date.now() * 1000 - 3_600_000_000, 10, before);
    read.push(...page);
    if (page.length < 10) break;
    before = page.at(-1)!;
  }
  expect(read).toHaveLength(25);
  expect(read.map(({ content }) => content).filter((text) => text === null)).toHaveLength(1);
  expect(new Set(read.map(({ content }) => content)).size).toBe(25);
  expect(read.map(({ foundUs }) => foundUs)).toEqual(read.map(({ foundUs }) => foundUs).toSorted((a, b) => b - a));
});
