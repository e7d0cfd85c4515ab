/** Whatever a submitter, a model or a tool writes is shown as what it is: nothing runs, nothing is loaded, nothing leaves. */
import { describe, expect, it } from 'vitest';
import { browserMissing, testBrowser } from '../support/chromium.ts';
import { testDatabase } from '../support/database.ts';
import { SCRIPTED, testConsole } from './console-site.ts';

const WORDS = [
  '<script>globalThis.ran = 1</script>',
  '<img src=x onerror="globalThis.ran = 1">',
  '<svg onload="globalThis.ran = 1"><style>*{display:none}</style></svg>',
  '[link](javascript:globalThis.ran=1) ![image](http://192.0.2.1/pixel.png)',
  '{{constructor.constructor("globalThis.ran = 1")()}} ${globalThis.ran = 1}',
  'safe‮gnp.exe\u001b[31mred\u001b[0m​',
  '"><iframe srcdoc="<script>parent.ran = 1</script>">',
];

describe.skipIf(browserMissing() !== null)('hostile words', () => {
  const pg = testDatabase();
  const hostile = WORDS.join('\n');
  const site = testConsole(pg, {
    faculties: { clerk: SCRIPTED('clerk') },
    files: { 'script.toml': `[[answer]]\ntext = ${JSON.stringify(hostile)}\n` },
  });
  const browser = testBrowser();

  it('on the pages about work, in every field that others write', async () => {
    const { db } = site();
    const params = { [WORDS[0]!]: hostile };
    const [item] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, description, params) values ('clerk', $1, $2) returning id`,
      [hostile, params],
    );
    await db.query(`insert into animus.work_items (faculty, description) values ($1, $2)`, [
      'unserved',
      'x'.repeat(200_000),
    ]);
    await expect
      .poll(
        async () =>
          (await db.query<{ state: string }>('select state from animus.work_items where id = $1', [item!.id]))[0]!
            .state,
      )
      .toBe('completed');
    const { page, complaints } = await browser.open();
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await page.goto(await site().link('olga'));
    const tabs = ['', '?tab=conversation', '?tab=turns', '?tab=calls', '?tab=ledger', '?tab=cost', '?tab=skills'];
    for (const hash of ['now', 'work', 'money', ...tabs.map((tab) => `work/${item!.id}${tab}`)]) {
      await page.goto(`${site().url}#/${hash}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      expect(await page.evaluate('globalThis.ran'), hash).toBeUndefined();
      expect(await page.locator('main script, main iframe, main svg style, main img[src^="http"]').count(), hash).toBe(
        0,
      );
    }
    expect(await page.locator('main').innerText()).toContain('<script>globalThis.ran = 1</script>');
    expect(dialogs).toBe(0);
    expect(complaints).toEqual([]);
  });
});
