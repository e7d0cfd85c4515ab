import { expect, test } from 'vitest';
import { type ReleaseFacts, releaseProblems } from '../../scripts/release-problems.ts';

const READY: ReleaseFacts = {
  version: '0.2.0',
  isPrivate: false,
  lockVersions: ['0.2.0', '0.2.0'],
  changelog: '# Changelog\n\n## 0.2.0 (2026-11-22)\n\n- A package.\n\n## 0.1.0 (2026-10-01)\n\n- First.\n',
  changedFiles: [],
  tags: ['v0.1.0', 'v0.2.0-rc.1', 'vintage'],
};

test('a release that is ready has no problems', () => {
  expect(releaseProblems(READY)).toEqual([]);
});

test.each<[string, Partial<ReleaseFacts>, RegExp]>([
  ['a version that is none', { version: '0.2', lockVersions: ['0.2', '0.2'] }, /0\.2 is not a version/],
  ['a private package', { isPrivate: true }, /"private" is true/],
  ['another version in the lock file', { lockVersions: ['0.2.0', '0.1.0'] }, /package-lock.json says 0\.1\.0/],
  [
    'changes that are not committed',
    { changedFiles: [' M src/main.ts', '?? x'] },
    /not clean: M src\/main.ts and 1 more/,
  ],
  ['a tag of that version', { tags: ['v0.2.0'] }, /tag v0\.2\.0 already exists/],
  ['a later release', { tags: ['v0.10.0'] }, /0\.10\.0 has already been released/],
  ['another version in the changelog', { changelog: '## 0.1.0 (2026-10-01)\n\n- First.\n' }, /begins with 0\.1\.0/],
  [
    'a section without its day',
    { changelog: '## 0.2.0 (unreleased)\n\n- A.\n' },
    /expected "## 0\.2\.0 \(YYYY-MM-DD\)"/,
  ],
  [
    'a section with nothing in it',
    { changelog: '## 0.2.0 (2026-11-22)\n\n## 0.1.0\n\n- A.\n' },
    /no change for 0\.2\.0/,
  ],
  ['no changelog', { changelog: '# Changelog\n' }, /no section/],
])('%s is a problem', (_, fact, problem) => {
  const problems = releaseProblems({ ...READY, ...fact });
  expect(problems).toContainEqual(expect.stringMatching(problem));
});

test('a release candidate comes before its release', () => {
  const tags = ['v0.2.0'];
  const version = '0.2.0-rc.2';
  const changelog = `## ${version} (2026-11-22)\n\n- A.\n`;
  const facts = { ...READY, version, lockVersions: [version, version], changelog };
  expect(releaseProblems({ ...facts, tags: ['v0.2.0-rc.1'] })).toEqual([]);
  expect(releaseProblems({ ...facts, tags })).toEqual([expect.stringContaining('0.2.0 has already been released')]);
});

test('all problems are reported at once', () => {
  expect(releaseProblems({ ...READY, isPrivate: true, tags: ['v0.2.0'], changedFiles: ['?? x'] })).toHaveLength(3);
});
