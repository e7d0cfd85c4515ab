import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchedPrices, usedPrices } from '../../../../src/llm/models/price-file.ts';
import { usePricesOf } from '../../../../src/llm/models/price-home.ts';
import { PRICE_PACKAGE } from '../../../../src/llm/models/price-package.ts';
import { run } from '../../../cli/run-cli.ts';

// Stands for the registry: a program `npm` that answers `view` and installs the package from a folder. That the real npm does the same is what
// `npm run models` shows.
let home: string;
let bin: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'update-'));
  bin = join(home, 'bin');
  mkdirSync(bin);
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
  usePricesOf('/nowhere');
});

const code = readFileSync(new URL(`../../../../node_modules/${PRICE_PACKAGE}/dist/index.js`, import.meta.url), 'utf8');

function npm(version: string, published: string, index = code): void {
  writeFileSync(join(home, 'index.js'), index);
  const view = JSON.stringify({ version, time: { [version]: `${published}T10:00:00Z` } });
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh
env > ${home}/env
case "$1" in
  view) echo '${view}' ;;
  install) d="$3/node_modules/${PRICE_PACKAGE}/dist"; mkdir -p "$d"; cp ${home}/index.js "$d" ;;
esac
`,
  );
  chmodSync(join(bin, 'npm'), 0o755);
}

/** The table, with another input price of OpenAI's gpt-6-sol. */
function withPrice(price: number): string {
  const start = code.indexOf('id: "gpt-6-sol"', code.indexOf('id: "openai"'));
  return code.slice(0, start) + code.slice(start).replace('base: 2,', `base: ${price},`);
}

const update = (...args: string[]) =>
  run(['models', 'update', '--json', ...args], {
    cwd: home,
    env: { ANIMUS_HOME: home, PATH: `${bin}:/usr/bin:/bin`, ANTHROPIC_API_KEY: 'sk-secret' },
  });
const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('animus-prices-'));

describe('models update', () => {
  test('writes newer prices into the home, says which changed, and gives npm no key of a provider', async () => {
    npm('0.2.0', '2027-01-05', withPrice(3));
    const { code: exit, stdout } = await update();
    const { prices, changed } = JSON.parse(stdout) as { prices: { version: string }; changed: string[] };
    expect([exit, prices.version, changed]).toEqual([0, '0.2.0', ['openai/gpt-6-sol']]);
    expect(usedPrices(home).file.vendors['openai']?.['gpt-6-sol']?.rates.input).toBe(3);
    expect(readFileSync(join(home, 'env'), 'utf8')).not.toContain('sk-secret');
    expect(leftovers()).toEqual([]);
  });

  test('--check changes nothing, --reset goes back', async () => {
    npm('0.2.0', '2027-01-05');
    expect(JSON.parse((await update('--check')).stdout)).toMatchObject({ newer: true, newest: { version: '0.2.0' } });
    expect(existsSync(fetchedPrices(home))).toBe(false);
    await update();
    expect(usedPrices(home).fetched).toBe(fetchedPrices(home));
    await update('--reset');
    expect(usedPrices(home).fetched).toBeNull();
  });

  test('where there are no newer ones, the day of the look is kept', async () => {
    const { version, published } = usedPrices(null).file.source;
    npm(version, published);
    expect(JSON.parse((await update()).stdout)).toMatchObject({ changed: [], prices: { version } });
    expect(usedPrices(home).file.source.checked).toBe(new Date().toISOString().slice(0, 10));
  });

  test.each([
    ['code that is not a table', 'export const a = 1;'],
    ['code that would run', `const E = [{ id: "openai", models: [fetch("http://127.0.0.1/")] }];`],
    ['a table without models', 'const E = [{ id: "openai", models: [] }];'],
  ])('%s changes nothing, and exits 4', async (_, index) => {
    npm('0.2.0', '2027-01-05', index);
    const { code: exit, stderr } = await update();
    expect([exit, JSON.parse(stderr)]).toMatchObject([4, { error: { code: 'models.not_fetched' } }]);
    expect(existsSync(fetchedPrices(home))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  test('without npm, or without a network, it says what to do', async () => {
    const absent = await run(['models', 'update'], { cwd: home, env: { ANIMUS_HOME: home, PATH: bin } });
    expect([absent.code, absent.stderr]).toEqual([4, expect.stringContaining('npm is not on the PATH')]);
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm error code ENOTFOUND" >&2; exit 1\n');
    chmodSync(join(bin, 'npm'), 0o755);
    const offline = await run(['models', 'update'], { cwd: home, env: { ANIMUS_HOME: home, PATH: `${bin}:/bin` } });
    expect([offline.code, offline.stderr]).toEqual([4, expect.stringContaining('npm says: code ENOTFOUND')]);
  });
});
