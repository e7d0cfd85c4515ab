/** Story: a person comes in by a link or a token, goes on where they were after their session has ended, and leaves. */
import { describe, expect, it } from 'vitest';
import { browserMissing, testBrowser } from '../support/chromium.ts';
import { testDatabase } from '../support/database.ts';
import { createToken } from '../support/people.ts';
import { testConsole } from './console-site.ts';

const missing = browserMissing();
if (missing !== null) process.stderr.write(`the console is not tested: ${missing}\n`);

describe.skipIf(missing !== null)('the way into the console', () => {
  const pg = testDatabase();
  const site = testConsole(pg);
  const browser = testBrowser();

  it('a link logs in once, and leaves no trace in the address or the history', async () => {
    const { page, complaints } = await browser.open();
    const link = await site().link('olga');
    await page.goto(link);
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
    expect(page.url()).toBe(`${site().url}#/now`);
    await page.goBack();
    expect(page.url()).not.toContain('login');
    const other = await browser.open();
    await other.page.goto(link);
    await other.page.getByRole('alert').filter({ hasText: 'has been used' }).waitFor();
    expect(other.page.url()).not.toContain('login/');
    expect(complaints).toEqual([]);
  });

  it('a token logs in, a wrong one says so, and the page that was asked for is shown', async () => {
    await site().link('vera', 'reader');
    const { secret } = await createToken(site().db, 'vera');
    const { page } = await browser.open();
    await page.goto(`${site().url}#/work?state=dead`);
    await page.getByLabel('Token').fill('animus_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').filter({ hasText: 'not valid' }).waitFor();
    await page.getByLabel('Token').fill(secret);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Work', level: 1 }).waitFor();
    expect(page.url()).toBe(`${site().url}#/work?state=dead`);
  });

  it('scripts of the page cannot read the session, and another page of the browser has it', async () => {
    const { page } = await browser.open();
    await page.goto(await site().link('olga'));
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    const second = await page.context().newPage();
    await second.goto(`${site().url}#/work`);
    await second.getByRole('heading', { name: 'Work', level: 1 }).waitFor();
  });

  it('a session that is revoked while the page is open ends it, and a new login goes on there', async () => {
    const { page } = await browser.open();
    await page.goto(await site().link('olga'));
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
    await page.goto(`${site().url}#/work?state=queued`);
    await page.getByRole('heading', { name: 'Work', level: 1 }).waitFor();
    await site().db.query(
      `select animus.revoke_token(id) from animus.tokens where kind = 'session' and revoked_at is null`,
    );
    await page.getByText('Your session has ended').waitFor();
    const { secret } = await createToken(site().db, 'olga');
    await page.getByLabel('Token').fill(secret);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Work', level: 1 }).waitFor();
    expect(page.url()).toBe(`${site().url}#/work?state=queued`);
  });

  it('who logs out is out, also in the other pages of the browser', async () => {
    const { page } = await browser.open();
    await page.goto(await site().link('leo'));
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You have logged out').waitFor();
    await page.reload();
    await page.getByLabel('Token').waitFor();
    const [{ left }] = (await site().db.query<{ left: number }>(
      `select count(*)::int as left from animus.tokens where person = 'leo' and kind = 'session' and revoked_at is null`,
    )) as [{ left: number }];
    expect(left).toBe(0);
  });
});
