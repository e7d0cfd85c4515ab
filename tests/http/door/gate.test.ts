import { expect, test } from 'vitest';
import { checkHeaders } from '../../../src/http/door/gate.ts';

test('a header that decides is there once; others may be there more often', () => {
  expect(() => checkHeaders(['Accept', 'a', 'accept', 'b', 'Host', 'h'])).not.toThrow();
  for (const name of ['Host', 'Authorization', 'Idempotency-Key', 'Content-Length'])
    expect(() => checkHeaders([name, 'a', 'Accept', 'x', name.toLowerCase(), 'a'])).toThrow(
      expect.objectContaining({
        code: 'http.invalid',
        message: expect.stringContaining(`${name.toLowerCase()} appears more than once`),
      }),
    );
});
