/** Promise: `faculty check` says where caches that a faculty wants shared are not shared. */
import { expect, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { cacheRemarks } from '../../../src/cli/faculty/faculty-remarks.ts';
import type { Isolation } from '../../../src/process/process-host.ts';

const faculty = (given: Partial<Faculty>) =>
  ({ file: '/f/a.toml', origins: { caches: '/f/a.toml:3' }, workspace: null, repo: null, ...given }) as Faculty;
const bash = (isolation: Isolation) => ({ isolation, sentence: '', container: null });
const messagesOf = (given: Partial<Faculty>, isolation: Isolation) =>
  cacheRemarks(faculty({ caches: ['npm'], ...given }), bash(isolation)).map(({ message }) => message);

test('only where each focus runs as a user of its own', () => {
  expect(messagesOf({}, 'uid')).toEqual([
    expect.stringMatching(
      /^\/f\/a\.toml:3: faculty\.caches: not shared on this host: with isolation "uid" and without/,
    ),
  ]);
  expect(messagesOf({ workspace: '/srv/app' }, 'uid')).toEqual([]);
  expect(messagesOf({ repo: '/srv/app' }, 'uid')).toEqual([]);
  expect(messagesOf({}, 'namespace')).toEqual([]);
  expect(messagesOf({}, 'none')).toEqual([]);
  expect(messagesOf({ caches: [] }, 'uid')).toEqual([]);
});
