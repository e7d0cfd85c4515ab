import { expect, test } from 'vitest';
import { keyLogin, maskOf } from '../../src/llm/transport/login.ts';
import { maskTexts } from '../../src/llm/transport/mask.ts';

test('secrets are masked whatever characters they have', () => {
  const secrets = ['a+b(c[d]{e}f)*g?h', '.^$|\\', 'x/y-z\n"'];
  const mask = maskTexts(secrets);
  expect(mask(`1 ${secrets.join(' 2 ')} 3`)).toBe('1 *** 2 *** 2 *** 3');
  expect(mask('aab(cd)g')).toBe('aab(cd)g');
});

test('the secrets of a login are masked as they are at the moment', () => {
  let secrets = ['first/secret'];
  const settings = { apiKey: null, baseUrl: new URL('http://127.0.0.1'), headers: {} };
  const mask = maskOf({ ...settings, login: { ...keyLogin(null), secrets: () => secrets } });
  expect(mask('first/secret first%2Fsecret second')).toBe('*** *** second');
  secrets = ['first/secret', 'second'];
  expect(mask('first/secret first%2Fsecret second')).toBe('*** *** ***');
  secrets = [];
  expect(mask('first/secret')).toBe('first/secret');
});
