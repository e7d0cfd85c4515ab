/** `npm run models`: writes src/llm/models/prices.json anew from the package with the table of prices, which has to be the newest one. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { PRICE_PACKAGE, readPricePackage } from '../src/llm/models/price-package.ts';

const directory = new URL(`../node_modules/${PRICE_PACKAGE}/`, import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', directory), 'utf8')) as { version: string };
const { version: newest, time } = JSON.parse(
  execFileSync('npm', ['view', PRICE_PACKAGE, 'version', 'time', '--json'], { encoding: 'utf8' }),
) as { version: string; time: Record<string, string> };
if (version !== newest)
  throw new Error(`${PRICE_PACKAGE} ${newest} is out, run: npm install -D ${PRICE_PACKAGE}@${newest}`);

const source = {
  package: PRICE_PACKAGE,
  version,
  published: (time[version] ?? '').slice(0, 10),
  checked: new Date().toISOString().slice(0, 10),
};
const file = readPricePackage(readFileSync(new URL('dist/index.js', directory), 'utf8'), source);
writeFileSync(new URL('../src/llm/models/prices.json', import.meta.url), `${JSON.stringify(file, null, 2)}\n`);
execFileSync('npx', ['biome', 'format', '--write', 'src/llm/models/prices.json'], {
  cwd: new URL('..', import.meta.url),
});
