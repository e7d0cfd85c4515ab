/** Promise: findings that say the same in similar words are one group, others are not, whatever language and however large they are. */
import { expect, test } from 'vitest';
import { createGroups } from '../../../src/daemon/findings/alike.ts';
import { wordsOf } from '../../../src/daemon/findings/words-of.ts';

const groupsOf = (texts: readonly string[]): number[] => {
  const groups = createGroups();
  return texts.map((text) => groups.add(wordsOf(text)));
};

/** What three foci might write about the same thing, each on its own. */
const SAME: readonly (readonly string[])[] = [
  [
    'The timezone test fails unless TZ=UTC is set',
    'timezone test only passes with TZ=UTC',
    'Set TZ=UTC before running npm test, otherwise the timezone tests are red',
    'tests/date.test.ts fails locally: the timezone must be UTC (TZ=UTC)',
  ],
  [
    'npm ci fails behind the proxy because the lock file contains resolved addresses',
    'The lock file has resolved addresses, so npm ci does not work behind the proxy',
    'npm ci fails here: resolved addresses in package-lock.json point to the public registry',
  ],
  [
    'The migration must not lock the table: create index concurrently',
    'Migration 12 took a lock on orders for 40 s; create the index concurrently',
    'An index on a large table has to be created concurrently, the migration locked it',
  ],
  [
    'The deploy script needs the variable AWS_REGION, otherwise it uploads to us-east-1',
    'AWS_REGION is not set in the deploy script; uploads go to us-east-1',
    'deploy.sh uploads to us-east-1 unless AWS_REGION is exported',
  ],
  [
    'Flaky: the websocket test depends on the order of two messages',
    'The websocket test is flaky because messages may arrive in another order',
    'websocket.test.ts: order of messages is not guaranteed, the test is flaky',
  ],
  [
    'Die Zeitzone muss vor dem Test auf UTC gesetzt werden',
    'Vor dem Test muss die Zeitzone UTC gesetzt sein',
    'Vor jedem Test die Zeitzone auf UTC setzen: sie muss gesetzt sein',
  ],
  ['テストを実行する前にタイムゾーンをUTCに設定する必要がある', 'タイムゾーンをUTCに設定しないとテストが失敗する'],
  ['测试之前必须把时区设置为UTC，否则日期测试失败', '日期测试失败：测试之前必须设置时区为UTC'],
];

test('the same in other words is one group, in the order of any language', () => {
  const texts = SAME.flatMap((same, topic) => same.map((text) => ({ text, topic })));
  const groups = groupsOf(texts.map(({ text }) => text));
  const found = Map.groupBy(texts.keys(), (at) => groups[at]!);
  expect([...found.values()].map((members) => members.map((at) => texts[at]!.topic))).toEqual(
    SAME.map((same, topic) => same.map(() => topic)),
  );
});

test.each([
  ['The build takes 40 s', 'The tests take 40 s'],
  ['no tests', 'no tests for the parser'],
  ['src/a.ts: the cache is never cleared', 'src/b.ts: the reader leaks a socket'],
  ['', ''],
])('%j and %j are not the same', (one, other) => {
  expect(groupsOf([one, other])).toEqual([0, 1]);
});

test.each([
  ['Ｔｈｅ ＣＬＯＣＫ of the server drifts', 'the clock of the server drifts'],
  ['the caf\u0065\u0301 menu failed to load', 'the caf\u00e9 menu fails to load'],
  ['cache cleared', 'Cache cleared!'],
])('%j and %j are', (one, other) => {
  expect(groupsOf([one, other])).toEqual([0, 0]);
});

test('a text of any size and kind has a bounded number of words', () => {
  for (const text of [
    'a '.repeat(1e6),
    '\u0000\ud800 \udfff',
    '漢'.repeat(1e6),
    String.fromCodePoint(...Array.from({ length: 4000 }, (_, n) => 0x4e00 + n)),
    '🧭'.repeat(1e5),
    'x'.repeat(1e6),
    '\u0301'.repeat(1e5),
  ])
    expect(wordsOf(text).length).toBeLessThanOrEqual(240);
  expect(wordsOf(Array.from({ length: 1000 }, (_, n) => `word${n}`).join(' ')).length).toBe(120);
});

test('a group does not creep from one subject to another', () => {
  // Each text shares most words with the one before it, the last none with the first.
  const words = Array.from({ length: 200 }, (_, n) => `word${n}`);
  const chain = Array.from({ length: 40 }, (_, n) => words.slice(n * 3, n * 3 + 12).join(' '));
  const groups = groupsOf(chain);
  expect(groups[1]).toBe(0);
  expect(new Set(groups).size).toBeGreaterThan(3);
});
