import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parsePrices } from '../../../src/llm/models/price-file.ts';
import { PRICE_PACKAGE, readPricePackage } from '../../../src/llm/models/price-package.ts';

const SOURCE = { package: PRICE_PACKAGE, version: '9.9.9', published: '2026-11-01', checked: '2026-11-24' };

test('prices.json is what `npm run models` makes of the installed package', () => {
  const shipped = parsePrices(readFileSync(new URL('../../../src/llm/models/prices.json', import.meta.url), 'utf8'));
  const directory = new URL(`../../../node_modules/${PRICE_PACKAGE}/`, import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL('package.json', directory), 'utf8')) as { version: string };
  expect(shipped.source.version).toBe(version);
  expect(readPricePackage(readFileSync(new URL('dist/index.js', directory), 'utf8'), shipped.source)).toEqual(shipped);
});

/** Code like the package's, with these models of OpenAI. */
const packaged = (...models: string[]) =>
  `import x from 'nowhere';\nconst E = [{ id: "openai", models: [${models.join()}] }];\nexport { E };`;
const model = (id: string, prices: string, match = `{ equals: "${id}" }`) =>
  `{ id: "${id}", match: ${match}, prices: ${prices} }`;
const read = (...models: string[]) => readPricePackage(packaged(...models), SOURCE).vendors['openai']!;

describe('the table of the package', () => {
  test('prices with a step by the length of the prompt', () => {
    const prices = `{ input_mtok: { base: 2, tiers: [{ start: 272e3, price: 4 }] }, output_mtok: 10, cache_read_mtok: .2 }`;
    expect(read(model('m', prices))['m']!.rates).toEqual({
      input: 2,
      output: 10,
      cacheRead: 0.2,
      long: { aboveTokens: 272_000, input: 4, output: 10, cacheRead: 0.2 },
    });
  });

  test('of prices that follow each other, the one that holds, and those that will change it', () => {
    const at = (when: string, price: number) => `{ ${when} prices: { input_mtok: ${price}, output_mtok: 1 } }`;
    const from = (day: string) => `constraint: { type: "start_date", start_date: "${day}" },`;
    const peak = `constraint: { type: "time_of_date", start_time: "01:00:00Z", end_time: "04:00:00Z" },`;
    const prices = `[${at('', 1)}, ${at(peak, 9)}, ${at(from('2026-08-17'), 2)}, ${at(peak, 3)}, ${at(from('2027-01-01'), 4)}]`;
    expect(read(model('m', prices))['m']).toEqual({
      rates: { input: 2, output: 1 },
      changes: [
        { daily: ['01:00', '04:00'], input: 3, output: 1 },
        { from: '2027-01-01', input: 4, output: 1 },
      ],
    });
  });

  test('beginnings of names are taken as whole names: a newer model may begin like an older one', () => {
    const match = `{ or: [{ starts_with: "m-5" }, { equals: "m-five" }, { regex: "^m-5-\\\\d+$" }] }`;
    expect(read(model('m-5-latest', '{ input_mtok: 1, output_mtok: 1 }', match))).toEqual({
      'm-5': { names: ['m-5', 'm-five'], rates: { input: 1, output: 1 } },
    });
  });

  test.each([
    ['code in place of data', `(() => { throw new Error('ran') })()`],
    ['a variable', 'process.env.HOME'],
    ['a template with a value', '`${process.pid}`'],
  ])('%s is refused, and does not run', (_, prices) => {
    expect(() => read(model('m', prices))).toThrow('its table is not plain data');
  });

  test.each([
    ['no table', 'const a = 1'],
    ['no code', '{"openai": ['],
    ['a wrong shape', 'const E = [{ id: 1, models: [] }]'],
    ['text of nested arrays', `const E = [{ models: ${'['.repeat(50_000)}`],
  ])('%s is refused', (_, code) => {
    expect(() => readPricePackage(code, SOURCE)).toThrow();
  });

  test('a price that is not a number of USD is refused when the file is read', () => {
    const file = readPricePackage(packaged(model('m', '{ input_mtok: -1, output_mtok: 1 }')), SOURCE);
    expect(() => parsePrices(JSON.stringify(file))).toThrow('vendors.openai.m.rates.input');
  });
});
