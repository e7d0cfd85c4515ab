import { describe, expect, test } from 'vitest';
import { isPublicAddress, isTarget, parseWebTarget } from '../../../src/core/text/web-target.ts';

describe('an address', () => {
  test.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    '127.0.0.1',
    '127.255.0.9',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '203.0.113.5',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'fec0::1',
    'ff02::1',
    '100::1',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('what an operator allows', () => {
  const allows = (target: string, host: string, address: string, port = 80) =>
    isTarget([parseWebTarget(target)!], host, address, port);

  test('is a host, whatever it resolves to', () => {
    expect(allows('Docs.internal', 'docs.internal', '10.0.0.1')).toBe(true);
    expect(allows('docs.internal', 'evil-docs.internal', '10.0.0.1')).toBe(false);
    expect(allows('docs.internal', 'docs.internal.evil.test', '10.0.0.1')).toBe(false);
  });

  test('is an address or a network, also in its mapped form', () => {
    expect(allows('10.1.0.0/16', 'x', '10.1.9.9')).toBe(true);
    expect(allows('10.1.0.0/16', 'x', '::ffff:10.1.9.9')).toBe(true);
    expect(allows('10.1.0.0/16', 'x', '10.2.0.1')).toBe(false);
    expect(allows('fd00::/8', 'x', 'fd12::1')).toBe(true);
    expect(allows('fd00::/8', 'x', '10.1.9.9')).toBe(false);
  });

  test('is one port, where it names one', () => {
    expect(allows('[::1]:8080', '[::1]', '::1', 8080)).toBe(true);
    expect(allows('[::1]:8080', '[::1]', '::1', 8081)).toBe(false);
    expect(allows('localhost:8080', 'localhost', '127.0.0.1', 8081)).toBe(false);
    expect(allows('::1', '[::1]', '::1', 9)).toBe(true);
  });

  test.each(['', 'http://x', 'a b', '*.x', 'x:0', 'x:99999', '10.0.0.0/33', '0x7f.1', '127.1', 'a/b', '[x]:1'])(
    'is not %j',
    (text) => {
      expect(parseWebTarget(text)).toBeNull();
    },
  );
});
