import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readReports } from '../../../src/sandbox/bash/command-reports.ts';

const MARK = '0f0e';
const OUTPUT = `\0${MARK} started 42\nwarning: \0 and \0${MARK.slice(0, 2)}\nlast\0${MARK} ended 3\nleft over`;

test.each([1, 2, 3, 7, 1000])('takes the reports out of a stream that comes in pieces of %i bytes', async (size) => {
  const { stderr, started, ended } = readReports(MARK);
  const bytes = Buffer.from(OUTPUT);
  for (let at = 0; at < bytes.length; at += size) stderr.write(bytes.subarray(at, at + size));
  stderr.end();
  expect(await text(stderr)).toBe(`warning: \0 and \0${MARK.slice(0, 2)}\nlastleft over`);
  expect(await started).toBe(42);
  expect(await ended).toBe(3);
});

test('passes on at once what cannot be a report', async () => {
  const { stderr } = readReports(MARK);
  stderr.write('partial');
  expect(String(stderr.read())).toBe('partial');
});

test('a stream that ends or breaks without reports has started nothing', async () => {
  const quiet = readReports(MARK);
  quiet.stderr.end(`no shell\0${MARK} star`);
  expect(await text(quiet.stderr)).toBe(`no shell\0${MARK} star`);
  expect(await quiet.started).toBeNull();
  const broken = readReports(MARK);
  broken.stderr.destroy();
  expect(await broken.started).toBeNull();
  expect(await broken.ended).toBeNull();
});

test('does not wait for ever for the end of a report that has none', async () => {
  const { stderr, started } = readReports(MARK);
  stderr.end(`\0${MARK} ${'x'.repeat(100)}\n\0${MARK} started 7\nrest`);
  expect(await text(stderr)).toBe(`${'x'.repeat(100)}\nrest`);
  expect(await started).toBe(7);
});
