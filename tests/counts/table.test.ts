import { expect, test } from 'vitest';
import { least } from './meter.ts';
import { messages } from './relay.ts';
import { differences } from './table.ts';

const TABLE = { turn: { statements: 2, walBytes: 1000, packages: 'pg' } };
const changed = (measure: string, value: number | string) =>
  differences(TABLE, { turn: { ...TABLE.turn, [measure]: value } });

test('what is the same, and what stays within its tolerance, is no difference', () => {
  expect(differences(TABLE, TABLE)).toEqual([]);
  expect(changed('walBytes', 1050)).toEqual([]);
  expect(changed('walBytes', 950)).toEqual([]);
});

test('a difference names its row and by how much, also where less is counted', () => {
  expect(changed('statements', 3)).toEqual(['turn, statements: 3, the table says 2: more (+50.0 %)']);
  expect(changed('walBytes', 1051)).toEqual(['turn, walBytes: 1051, the table says 1000: more (+5.1 %)']);
  expect(changed('walBytes', 900)).toEqual([
    'turn, walBytes: 900, the table says 1000: less (-10.0 %), so the table is no longer true',
  ]);
  expect(changed('packages', 'pg, zod')).toEqual(['turn, packages: pg, zod, the table says pg']);
});

test('a new row, and a measure that is not counted any more, are differences', () => {
  expect(differences({}, { new: { statements: 1 } })).toEqual(['new, statements: 1, the table says nothing']);
  expect(differences(TABLE, { turn: { statements: 2, walBytes: 1000 } })).toEqual([
    'turn, packages: not counted, the table says pg',
  ]);
});

test('a sample is the least of each measure, and a disturbed one is taken again', async () => {
  const samples = [
    { buffers: 9, walBytes: 1, pageImages: 1 },
    { buffers: 5, walBytes: 30, pageImages: 0 },
    { buffers: 7, walBytes: 20, pageImages: 0 },
  ];
  expect(await least(2, async () => samples.shift()!)).toEqual({ buffers: 5, walBytes: 20 });
  await expect(least(1, async () => ({ collections: 1 }))).rejects.toThrow('every sample was disturbed');
});

test('messages are found whatever the pieces in which they come', () => {
  const sent = Buffer.from('5300000004510000000631005a0000000549', 'hex');
  for (const size of [1, 3, sent.length]) {
    const seen: string[] = [];
    const read = messages((type, body) => seen.push(`${type}${body.toString('hex')}`));
    for (let at = 0; at < sent.length; at += size) read(sent.subarray(at, at + size));
    expect(seen).toEqual(['S', 'Q3100', 'Z49']);
  }
});
