/** Where a request comes from, as far as the headers can be believed. */
import { expect, test } from 'vitest';
import { parseNetworks } from '../../../src/core/text/networks.ts';
import { clientAddress, clientNetwork } from '../../../src/http/door/client-address.ts';

const TRUSTED = parseNetworks(['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::ffff:172.16.0.0/108']);
const from = (remoteAddress: string | undefined, headers: Record<string, string>) =>
  clientAddress({ headers, socket: { remoteAddress } }, TRUSTED);
const listed = (header: string, peer = '10.0.0.1') => from(peer, { 'x-forwarded-for': header });
const forwarded = (header: string, peer = '10.0.0.1') => from(peer, { forwarded: header });

test('a peer that is not a trusted proxy is the client, whatever it says', () => {
  expect(listed('198.51.100.7', '203.0.113.9')).toBe('203.0.113.9');
  expect(forwarded('for=198.51.100.7', '203.0.113.9')).toBe('203.0.113.9');
  expect(from('203.0.113.9', {})).toBe('203.0.113.9');
  expect(clientAddress({ headers: { 'x-forwarded-for': '1.2.3.4' }, socket: { remoteAddress: '10.0.0.1' } }, [])).toBe(
    '10.0.0.1',
  );
});

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['invented, 198.51.100.7', '198.51.100.7'],
  ['10.0.0.9, 198.51.100.7', '198.51.100.7'],
  ['198.51.100.7, 10.2.3.4, 192.0.2.1', '198.51.100.7'],
  ['198.51.100.7,172.20.1.1', '198.51.100.7'],
  ['198.51.100.7, fd00::5', '198.51.100.7'],
  ['2001:db8:0:0::7', '2001:db8::7'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['198.51.100.7:4711', '198.51.100.7'],
  ['[2001:db8::7]:4711', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['fe80::1%eth0', 'fe80::1'],
  // All hops are trusted: the first one.
  ['10.0.0.5, 10.0.0.6', '10.0.0.5'],
  // What cannot be read is not believed, nor anything before it.
  ['', '10.0.0.1'],
  ['unknown', '10.0.0.1'],
  ['198.51.100.7,', '10.0.0.1'],
  ['198.51.100.7, 10.0.0.2 10.0.0.3', '10.0.0.1'],
  ['198.51.100.7, nonsense, 10.0.0.2', '10.0.0.2'],
  ['010.0.0.7', '10.0.0.1'],
  ['0x7f.1', '10.0.0.1'],
  ['2130706433', '10.0.0.1'],
  ['198.51.100.7:port', '10.0.0.1'],
  [`${'1:'.repeat(5000)}1`, '10.0.0.1'],
])('X-Forwarded-For: %.60s', (header, client) => {
  expect(listed(header)).toBe(client);
  expect(listed(header, '::ffff:10.0.0.1')).toBe(client);
});

test.each([
  ['for=198.51.100.7', '198.51.100.7'],
  ['For="198.51.100.7:80";proto=https;by=10.0.0.1', '198.51.100.7'],
  ['proto=https; for="[2001:db8::7]:4711"', '2001:db8::7'],
  ['for=203.0.113.5, for=198.51.100.7;proto=https, for=10.0.0.4', '198.51.100.7'],
  ['for=unknown, for=198.51.100.7', '198.51.100.7'],
  ['for=198.51.100.7, for=_hidden', '10.0.0.1'],
  ['for=198.51.100.7, proto=https', '10.0.0.1'],
  ['for=198.51.100.7;for=198.51.100.8', '10.0.0.1'],
  ['for=198.51.100.7, for="10.0.0.2', '10.0.0.1'],
  ['host="a,for=203.0.113.5";for=198.51.100.7', '198.51.100.7'],
  ['for="198.51.100.7\\""', '10.0.0.1'],
  ['"'.repeat(10_000), '10.0.0.1'],
])('Forwarded: %.60s', (header, client) => {
  expect(forwarded(header)).toBe(client);
});

test('of two headers that differ, one may be the invention of the client', () => {
  const both = (x: string, f: string) => from('10.0.0.1', { 'x-forwarded-for': x, forwarded: f });
  expect(both('198.51.100.7', 'for=198.51.100.7')).toBe('198.51.100.7');
  expect(both('198.51.100.7', 'for=203.0.113.5')).toBe('10.0.0.1');
});

test('a peer without an address, as of a unix socket', () => {
  expect(from(undefined, { 'x-forwarded-for': '198.51.100.7' })).toBe('');
});

test('limits count an IPv6 network as one client', () => {
  expect(clientNetwork('198.51.100.7')).toBe('198.51.100.7');
  expect(clientNetwork('2001:db8:1:2:3:4:5:6')).toBe(clientNetwork('2001:db8:1:2::9'));
  expect(clientNetwork('2001:db8:1:2::')).not.toBe(clientNetwork('2001:db8:1:3::'));
  expect(clientNetwork('')).toBe('');
});
