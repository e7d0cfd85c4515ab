import { expect, test } from 'vitest';
import { publicCode } from '../../../src/core/errors/public-code.ts';

test.each([
  ['db.unreachable', 'http.no_database'],
  ['db.refused', 'http.no_database'],
  ['db.not_migrated', 'http.no_database'],
  ['db.schema_older', 'http.no_database'],
  ['db.schema_newer', 'http.no_database'],
  ['db.embedded_locked', 'http.no_database'],
  ['db.forbidden', 'http.forbidden'],
  ['work.not_found', 'work.not_found'],
  ['internal.bug', 'internal.bug'],
] as const)('of %s a client is told %s', (code, told) => {
  expect(publicCode(code)).toBe(told);
});
