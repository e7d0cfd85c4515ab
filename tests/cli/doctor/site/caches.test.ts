/** Promise: the doctor shows what shared caches take on the disk, and which of them no faculty here uses. */
import { expect, test } from 'vitest';
import { examinedSite, FACULTY } from '../examined-site.ts';

const site = examinedSite();
const CACHED = FACULTY.replace(/fallback.*\n/, '').replace(
  '[faculty.engage]',
  'caches = ["npm", "go"]\n[faculty.engage]\ntools = ["bash"]',
);

const found = async () => (await site.doctor([])).findings.filter(({ check }) => check === 'package caches');

test('nothing without caches, then size and path of each, and the command that removes those that are not used', async () => {
  site.write({ 'faculties/clerk.toml': CACHED });
  expect(await found()).toEqual([]);
  const caches = `${site.cwd}/home/caches`;
  site.write({
    'home/caches/clerk/npm/_cacache/deep/file': 'x'.repeat(2_000_000),
    'home/caches/clerk/go/mod/m.go': 'package m',
  });
  expect(await found()).toEqual([
    {
      check: 'package caches',
      state: 'ok',
      detail: expect.stringMatching(new RegExp(`^clerk: go \\S+ kB, npm 2\\.\\d MB in ${caches}/clerk$`)),
      remedy: null,
    },
  ]);
  site.write({ 'home/caches/clerk/pip/w': 'x', 'home/caches/gone/npm/x': 'x' });
  expect(await found()).toMatchObject([
    {
      state: 'note',
      detail: expect.stringMatching(/; faculty clerk does not name pip in caches here$/),
      remedy: `if no other daemon uses it: rm -rf ${caches}/clerk/pip`,
    },
    { state: 'note', remedy: `if no other daemon uses it: rm -rf ${caches}/gone/npm` },
  ]);
  // It may be the faculty whose cache it is.
  site.write({ 'faculties/gone.toml': '[faculty' });
  expect((await found()).map(({ state }) => state)).toEqual(['ok', 'ok']);
});
