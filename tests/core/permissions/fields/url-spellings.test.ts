/** A rule about a URL holds for every way to write it. */
import { describe, expect, it } from 'vitest';
import { urlAllowed, urlTouched } from '../../../../src/core/permissions/fields/url-fit.ts';
import {
  MAYBE_PATH,
  OTHER_ADDRESS,
  SAME_ADDRESS,
  SAME_ADDRESS_IN_URL,
  SAME_MACHINE,
  SAME_PATH,
} from '../../../support/url-spellings.ts';

describe('a rule that asks or forbids', () => {
  it.each([...SAME_ADDRESS, ...SAME_ADDRESS_IN_URL, ...SAME_MACHINE])('about 127.0.0.1 holds for %j', (host) => {
    for (const before of ['http://', 'HTTP://', 'http:\\\\', ' http://', 'http://me:pw@'])
      expect(urlTouched('http://127.0.0.1/**', `${before}${host}/`), before).toBe('yes');
    expect(urlTouched('http://127.0.0.1:8080/**', `http://${host}:8080/`)).toBe('yes');
    expect(urlTouched('http://[::ffff:127.0.0.1]/**', `http://${host}/`)).toBe('yes');
    expect(urlTouched('http://localhost/**', `http://${host}:80/`)).toBe('yes');
  });

  it.each(OTHER_ADDRESS)('about 127.0.0.1 leaves %j alone', (host) => {
    expect(urlTouched('http://127.0.0.1/**', `http://${host}/`)).toBe('no');
  });

  it.each(SAME_PATH)('about /secret holds for %j', (path) => {
    expect(urlTouched('https://example.org/secret', `https://example.org${path}`)).toBe('yes');
    expect(urlTouched('https://example.org/secret/**', `https://example.org${path}`)).toBe('yes');
  });

  it.each(MAYBE_PATH)('about /secret may hold for %j', (path) => {
    expect(urlTouched('https://example.org/secret', `https://example.org${path}`)).toBe('maybe');
  });

  it('may hold for what is not a host', () => {
    expect(urlTouched('http://127.0.0.1/**', 'http://[::1%25lo]/')).toBe('maybe');
    expect(urlTouched('http://127.0.0.1/**', 'http://127.0.0.1.1.1/')).toBe('maybe');
  });
});

describe('a rule that allows', () => {
  it('compares exactly', () => {
    const allowed = [...SAME_ADDRESS, ...SAME_ADDRESS_IN_URL, ...SAME_MACHINE].filter((host) =>
      urlAllowed('http://127.0.0.1/**', `http://${host}/`),
    );
    expect(allowed.filter((host) => host.startsWith('[') || /localhost|\s/i.test(host))).toEqual([]);
    expect(SAME_PATH.filter((path) => urlAllowed('https://example.org/secret', `https://example.org${path}`))).toEqual([
      '/secret',
      '/./secret',
      '/a/../secret',
      '/a/b/../../secret',
      '/%2e/secret',
      '/a/%2e%2E/secret',
      '/a/.%2e/secret',
      '/%73ecret',
      '/%73%65%63%72%65%74',
      '/secret?x=1',
      '/secret#x',
    ]);
    expect(MAYBE_PATH.filter((path) => urlAllowed('https://example.org/**', `https://example.org${path}`))).toEqual([]);
  });
});
