import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { logMessages } from '../../scripts/log-messages.ts';
import { DIGEST_MS } from '../../src/telemetry/metric-rows.ts';
import { METRICS, SPANS } from '../../src/telemetry/signals.ts';
import { tableRows } from '../support/markdown-table.ts';

const PAGE = readFileSync(new URL('../../docs/telemetry.md', import.meta.url), 'utf8');
const SRC = new URL('../../src/', import.meta.url);

/** The source without the table itself. */
const source = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('signals.ts'))
  .map((file) => readFileSync(new URL(file, SRC), 'utf8'))
  .join('\n');

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

test('the page lists every span with its kind and attributes, and no other', () => {
  const rows = Object.entries(SPANS).map(([name, row]) => {
    const suffix = 'suffix' in row ? ` {${row.suffix}}` : '';
    return [`\`${name}${suffix}\``, row.kind, row.description, code(row.attributes)];
  });
  expect(tableRows(PAGE).filter((cells) => cells.length === 4)).toEqual([
    ['span', 'kind', 'what it measures', 'attributes'],
    ...rows,
  ]);
});

test('the page lists every metric with its kind, unit and labels, and no other', () => {
  const rows = Object.entries(METRICS).map(([name, row]) => {
    return [`\`${name}\``, row.kind, row.unit, row.description, code(row.labels)];
  });
  expect(tableRows(PAGE).filter((cells) => cells.length === 5)).toEqual([
    ['metric', 'kind', 'unit', 'what it measures', 'labels'],
    ...rows,
  ]);
});

test.each(Object.keys(SPANS))('span %s is started somewhere', (name) => {
  expect(source).toMatch(new RegExp(`span\\(\\s*'${name.replaceAll('.', '\\.')}'`));
});

test.each(Object.keys(METRICS))('metric %s is emitted somewhere', (name) => {
  expect(source).toMatch(new RegExp(`(count|record|gauge)\\(\\s*'${name.replaceAll('.', '\\.')}'`));
});

test('the bounds of histograms ascend; those of the digest are 1, 2 and 5 in each power of ten', () => {
  for (const row of Object.values(METRICS)) {
    const buckets: readonly number[] = ('buckets' in row && row.buckets) || [];
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
  }
  expect(DIGEST_MS.filter((ms) => ![1, 2, 5].includes(ms / 10 ** Math.floor(Math.log10(ms))))).toEqual([]);
});

const attributes = new Set(Object.values(SPANS).flatMap((row) => [...row.attributes] as string[]));
test.each([...attributes])('attribute %s is set somewhere in the source', (name) => {
  expect(source).toContain(`'${name}'`);
});

test('the page lists every constant log message with its level, and no other', () => {
  const rows = tableRows(PAGE).filter((cells) => cells.length === 3);
  expect(rows.shift()).toEqual(['level', 'message', 'when']);
  const listed = rows.map(([level, message]) => `${level} ${message}`);
  const logged = logMessages(fileURLToPath(SRC)).map(({ level, message }) => `${level} ${message}`);
  expect(listed.toSorted()).toEqual(logged.toSorted());
  expect(rows.filter(([, , when]) => when === '')).toEqual([]);
});

test('log messages are found in calls of one line and of several lines, and only constant ones', () => {
  const directory = mkdtempSync(join(tmpdir(), 'log-messages-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const calls = [
    "log.info({}, 'one, two (three)');",
    "from.log.warn(\n  { a: [1, 2], b: f(',') },\n  'over several lines',\n);",
    'log.debug({}, `a ${template}`);',
    'log.error(fields, variable);',
  ];
  writeFileSync(join(directory, 'x.ts'), calls.join('\n'));
  expect(logMessages(directory)).toEqual([
    { level: 'info', message: 'one, two (three)' },
    { level: 'warn', message: 'over several lines' },
  ]);
});
