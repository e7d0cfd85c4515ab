/** Ways to write a host and a path, for everything that compares URLs. */

/** All are 127.0.0.1 to a resolver or to a router. */
export const SAME_ADDRESS: readonly string[] = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7F.0x0.0x0.0x1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.0x1',
  '１２７.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:0001::1]',
];

/** Only in a URL, which is parsed: an escape, other dots, and characters that are dropped. */
export const SAME_ADDRESS_IN_URL: readonly string[] = [
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '127%2E0%2E0%2E1',
  '127.0.\t0.1',
  '127.0.0.\n1',
];

/** They reach the machine itself, as 127.0.0.1 does. */
export const SAME_MACHINE: readonly string[] = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  '127.0.0.2',
  '[::1]',
  '[::]',
  '0.0.0.0',
  '0',
];

/** Others. */
export const OTHER_ADDRESS: readonly string[] = [
  '128.0.0.1',
  '192.0.2.7',
  '[2001:db8::7f00:1]',
  '[2003:7f00:1::]',
  'localhost.example.org',
  '127.0.0.1.nip.io',
];

/** All are `/secret` to some server: for certain, or if it decodes twice, cuts at `;` and the like. */
export const SAME_PATH: readonly string[] = [
  '/secret',
  '/secret/',
  '//secret',
  '///secret//',
  '/./secret',
  '/a/../secret',
  '/a/b/../../secret',
  '/%2e/secret',
  '/a/%2e%2E/secret',
  '/a/.%2e/secret',
  '/%73ecret',
  '/%73%65%63%72%65%74',
  '/SECRET',
  '/Secret/',
  '/secret?x=1',
  '/secret#x',
  '/secret/?',
  '\\secret',
  '/\\secret',
  '/a\\..\\secret',
  '/se\tcret',
  '/sec\nret',
  '/ｓecret',
];
export const MAYBE_PATH: readonly string[] = [
  '/%2fsecret',
  '/a/..%2fsecret',
  '/%2573ecret',
  '/secret;x=1',
  '/a/..;/secret',
  '/secret%00',
  '/%5csecret',
  '/%ff/secret',
];
