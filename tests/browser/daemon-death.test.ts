/** Story: the server is killed while pages are open; they say so, and go on by themselves when it is back. */
import { describe, it } from 'vitest';
import { browserMissing, testBrowser } from '../support/chromium.ts';
import { testDatabase } from '../support/database.ts';
import { startConsole } from './console-site.ts';

describe.skipIf(browserMissing() !== null)('a server that dies', () => {
  const pg = testDatabase({ anew: true });
  const browser = testBrowser();

  it('the list of work says that it may be out of date, and shows what is new when the server is back', async () => {
    const site = await startConsole(pg);
    const { page } = await browser.open();
    await page.goto(await site.link('olga'));
    await page.goto(`${site.url}#/work`);
    await page.getByRole('heading', { name: 'Work', level: 1 }).waitFor();
    await site.daemon.kill('SIGKILL');
    await site.db.query(
      `insert into animus.work_items (faculty, description) values ('nobody', 'Submitted meanwhile')`,
    );
    await page
      .getByText(/out of date|cannot reach|connection/i)
      .first()
      .waitFor();
    await site.restart();
    await page.getByRole('link', { name: 'Submitted meanwhile' }).waitFor();
  });
});
