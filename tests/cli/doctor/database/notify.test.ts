import { expect, test } from 'vitest';
import { testDatabase } from '../../../support/database.ts';
import { examinedSite, FACULTY } from '../examined-site.ts';

const target = testDatabase();
const { doctor, write } = examinedSite();

test('a login whose sessions send no notifications is told so, and that this is slower', async () => {
  write({ 'faculties/clerk.toml': FACULTY });
  const silent = new URL(target.connectionString);
  silent.searchParams.set('options', '-c animus.notify=off');
  const { findings } = await doctor([], { databaseUrl: silent.href.replaceAll('+', '%20') });
  expect(findings.find(({ check }) => check === 'notify')).toMatchObject({
    state: 'note',
    detail: expect.stringContaining('animus.notify is off'),
    remedy: expect.stringContaining('reset animus.notify'),
  });
  const usual = await doctor([], { databaseUrl: target.connectionString });
  expect(usual.findings.filter(({ check }) => check === 'notify')).toEqual([]);
});
