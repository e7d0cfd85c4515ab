import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { priceRemarks } from '../../../src/daemon/models/price-remarks.ts';
import { openCatalogue } from '../../../src/llm/models/catalogue.ts';
import { fetchedPrices, usedPrices } from '../../../src/llm/models/price-file.ts';
import { usePricesOf } from '../../../src/llm/models/price-home.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'prices-'));
  mkdirSync(dirname(fetchedPrices(home)));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
  usePricesOf('/nowhere');
});

const { source, ...rest } = usedPrices(null).file;
const after = (days: number) => new Date(Date.parse(source.checked) + days * 86_400_000);
const remarks = (now: Date) => {
  usePricesOf(home);
  const config = loadConfig({ env: { ANIMUS_HOME: home }, cwd: home });
  return priceRemarks([], config, now).map(({ message }) => message);
};

test('prices are old when they were not compared with the table for more than 60 days', () => {
  expect(remarks(after(60))).toEqual([]);
  expect(remarks(after(61))).toEqual([
    expect.stringMatching(/^prices of models are 61 days old: .* was the newest on /),
  ]);
});

test('a fetched file that cannot be read is said, and those that come with animus are used', () => {
  writeFileSync(fetchedPrices(home), '{"source": {');
  expect(remarks(after(0))).toEqual([expect.stringContaining(`${fetchedPrices(home)}: `)]);
  expect(openCatalogue().prices.file.source).toEqual(source);
});

test('a fetched file is used from the day of its table on, an older one is not', () => {
  const newer = { ...rest, source: { ...source, version: '99.0.0', checked: '2027-01-01' } };
  writeFileSync(fetchedPrices(home), JSON.stringify(newer));
  expect(remarks(new Date('2027-01-02'))).toEqual([]);
  expect(openCatalogue().prices.file.source.version).toBe('99.0.0');
  writeFileSync(
    fetchedPrices(home),
    JSON.stringify({ ...newer, source: { ...newer.source, published: '2020-01-01' } }),
  );
  expect(usedPrices(home).fetched).toBeNull();
});
