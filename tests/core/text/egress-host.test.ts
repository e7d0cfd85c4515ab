import { expect, test } from 'vitest';
import { canonicalHost } from '../../../src/core/text/canonical-host.ts';
import { allowsEgress, parseEgressHost } from '../../../src/core/text/egress-host.ts';

test.each([
  ['pypi.org', { host: 'pypi.org', below: false, port: null }],
  ['PyPI.org.', { host: 'pypi.org', below: false, port: null }],
  ['*.example.com:8443', { host: 'example.com', below: true, port: 8443 }],
  ['bücher.example', { host: 'xn--bcher-kva.example', below: false, port: null }],
  ['localhost:3000', { host: 'localhost', below: false, port: 3000 }],
  ['192.0.2.7:80', { host: '192.0.2.7', below: false, port: 80 }],
  ['[2001:DB8::0:1]:443', { host: '2001:db8::1', below: false, port: 443 }],
])('reads %s', (written, entry) => {
  expect(parseEgressHost(written)).toEqual(entry);
});

test.each([
  '',
  '*',
  '*.com',
  '*.',
  'a b',
  'https://pypi.org',
  'pypi.org/simple',
  'a:0',
  'a:99999',
  '10.0.0.0/8',
  '*.10.0.0.1',
  'u@h',
  '2001:db8::1',
  '[::1',
  'a:b',
])('does not read %j', (written) => {
  expect(parseEgressHost(written)).toBeNull();
});

test('every way to write an address is the same host', () => {
  expect(['127.0.0.1', '0x7f.1', '2130706433', '127.1', '127.0.0.1.', '[::ffff:127.0.0.1]'].map(canonicalHost)).toEqual(
    Array(6).fill('127.0.0.1'),
  );
});

test('an entry without a port allows the two ports of the web', () => {
  const list = [parseEgressHost('pypi.org')!];
  expect([80, 443, 22, 8080].map((port) => allowsEgress(list, 'pypi.org', port))).toEqual([true, true, false, false]);
});
