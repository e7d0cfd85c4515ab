/** Every page of the console, in light and dark and on a phone, against WCAG 2.2 AA as far as axe-core can check it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { browserMissing, testBrowser } from '../support/chromium.ts';
import { testDatabase } from '../support/database.ts';
import { testConsole } from './console-site.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const PAGES = ['now', 'work', 'submit', 'inbox', 'chat', 'agents', 'money', 'operate'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe.skipIf(browserMissing() !== null)('people who do not see, or use no pointer', () => {
  const pg = testDatabase();
  const site = testConsole(pg);
  const browser = testBrowser();

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('%s, %s pixels wide: no page has a violation', async (colorScheme, width) => {
    await site().db.query(
      `insert into animus.work_items (faculty, description) select 'clerk', 'Item ' || n from generate_series(1, 3) n`,
    );
    const { page, complaints } = await browser.open({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
    await page.goto(await site().link('olga'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { id } = (await site().db.query<{ id: string }>('select id from animus.work_items limit 1'))[0]!;
    const found: string[] = [];
    for (const hash of [...PAGES, `work/${id}`]) {
      await page.goto(`${site().url}#/${hash}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await page.evaluate(AXE);
      const violations = await page.evaluate<readonly Violation[]>(
        `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`,
      );
      found.push(
        ...violations.map((one) => `${hash}: ${one.id}: ${one.nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`),
      );
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
