import { expect, test } from 'vitest';
import { sealFor } from '../../../src/http/api/seal.ts';

test('what is sealed is opened with the same token and key only, however the scheme is written', () => {
  const sealed = sealFor('Bearer animus_1', 'k').close('words');
  expect(sealed).not.toContain('words');
  for (const header of ['Bearer animus_1', 'bearer animus_1', 'BEARER  animus_1']) {
    expect(sealFor(header, 'k').open(sealed)).toBe('words');
  }
  expect(() => sealFor('Bearer animus_2', 'k').open(sealed)).toThrow(/with the token of the first request/);
  expect(() => sealFor('Bearer animus_1', 'l').open(sealed)).toThrow(/with the token of the first request/);
});
