import { expect, test } from 'vitest';
import { canonicalHost } from '../../../src/core/text/canonical-host.ts';
import { OTHER_ADDRESS, SAME_ADDRESS } from '../../support/url-spellings.ts';

test.each(SAME_ADDRESS)('%s is 127.0.0.1', (written) => {
  expect(canonicalHost(written)).toBe('127.0.0.1');
});

test.each(OTHER_ADDRESS)('%s is another host', (written) => {
  expect(canonicalHost(written)).not.toBe('127.0.0.1');
});

test.each([
  ['EXAMPLE.org.', 'example.org'],
  ['Bücher.test', 'xn--bcher-kva.test'],
  ['[::1]', '::1'],
  ['[2001:DB8:0:0::1]', '2001:db8::1'],
  ['[fe80::1%25eth0]', null],
  ['[fe80::1%eth0]', null],
  ['256.1.1.1', null],
  ['a b', null],
  ['a@b', null],
  ['', null],
])('%s becomes %s', (written, host) => {
  expect(canonicalHost(written)).toBe(host);
});
