/** Story: operators decide what waits, by keys and by the pointer, one of them at a time and two at once. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserMissing, testBrowser } from '../support/chromium.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type ConsoleSite, testConsole } from './console-site.ts';

const FACULTY = `
[faculty]
name = "clerk"
description = "Writes a file"
[faculty.engage]
model = "play/any"
system_prompt = "You write."
tools = ["write_file"]
[faculty.permissions]
write_file = "ask"
`;
const SCRIPT = `
[[answer]]
[[answer.call]]
tool = "write_file"
input = { path = "notes.txt", content = "one\\ntwo\\n" }
[[answer]]
text = "Done."
`;

/** Submits so many items, and waits until each of them asks. */
async function asked({ db }: ConsoleSite, count: number): Promise<void> {
  await db.query(
    `insert into animus.work_items (faculty, description) select 'clerk', 'Ask ' || n from generate_series(1, $1::int) n`,
    [count],
  );
  await eventually('all of them ask', async () => ((await waiting(db)) === count ? true : null));
}

async function waiting(db: ConsoleSite['db']): Promise<number> {
  return (await db.query<{ n: number }>('select count(*)::int as n from animus.inbox'))[0]!.n;
}

async function decisions({ db }: ConsoleSite): Promise<readonly string[]> {
  const rows = await db.query<{ action: string; by: string }>(
    `select action, decided_by as by from animus.decisions where action in ('approve', 'deny') order by created_at`,
  );
  return rows.map(({ action, by }) => `${by} ${action}`);
}

/** A card that has just appeared decides nothing yet: neither a key nor a click was meant for it. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await page.waitForTimeout(600);
}

describe.skipIf(browserMissing() !== null)('the inbox', () => {
  const pg = testDatabase();
  const site = testConsole(pg, {
    faculties: { clerk: FACULTY },
    files: { 'script.toml': SCRIPT },
  });
  const browser = testBrowser();

  it('a request is approved by a key, another one is denied with its reason, and going to another page decides nothing', async () => {
    await asked(site(), 3);
    const { page, complaints } = await browser.open();
    await page.goto(await site().link('olga'));
    await page.goto(`${site().url}#/inbox`);
    await settled(page);
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(await decisions(site())).toEqual([]);
    await page.goBack();
    await settled(page);
    await page.keyboard.press('a');
    await expect.poll(() => decisions(site())).toEqual(['person:olga approve']);
    await settled(page);
    await page.keyboard.press('d');
    await page.keyboard.type('not this file');
    await page.keyboard.press('Enter');
    await expect.poll(() => decisions(site())).toEqual(['person:olga approve', 'person:olga deny']);
    expect(complaints).toEqual([]);
  });

  it('of two people who decide the same at once, one does, and the other is told', async () => {
    const one = await browser.open();
    const two = await browser.open();
    for (const [{ page }, name] of [
      [one, 'olga'],
      [two, 'paul'],
    ] as const) {
      await page.goto(await site().link(name));
      await page.goto(`${site().url}#/inbox`);
      await settled(page);
    }
    const before = (await decisions(site())).length;
    await Promise.all([one, two].map(({ page }) => page.getByRole('button', { name: 'Approve' }).click()));
    await expect.poll(async () => (await decisions(site())).length).toBe(before + 1);
    await expect.poll(() => waiting(site().db)).toBe(0);
    for (const { page } of [one, two]) await page.getByText('Nothing waits for a person.').waitFor();
  });

  it('a double click decides one request, not the next one, too', async () => {
    await asked(site(), 2);
    const { page } = await browser.open();
    await page.goto(await site().link('olga'));
    await page.goto(`${site().url}#/inbox`);
    const approve = page.getByRole('button', { name: 'Approve' });
    await settled(page);
    const before = (await decisions(site())).length;
    await approve.dblclick();
    await expect.poll(async () => (await decisions(site())).length).toBe(before + 1);
    await page.waitForTimeout(1000);
    expect((await decisions(site())).length).toBe(before + 1);
  });
});
