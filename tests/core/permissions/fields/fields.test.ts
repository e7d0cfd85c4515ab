/** Paths and URLs that are written to look like others. */
import { describe, expect, it } from 'vitest';
import { pathAllowed, pathMayBeBelow, pathTouched } from '../../../../src/core/permissions/fields/path-fit.ts';
import { urlAllowed, urlTouched } from '../../../../src/core/permissions/fields/url-fit.ts';

describe('a path', () => {
  it.each([
    ['docs/**', 'docs/a.md', true, true],
    ['docs/**', './docs//b/../a.md', true, true],
    ['docs/**', '/w/docs/a.md', true, true],
    ['docs/**', 'docs/../secret', false, false],
    ['docs/**', 'docs/../../w/docs/a', true, true],
    ['docs/**', '/w/docs/../secret', false, false],
    ['docs/**', '../w2/docs/a', false, false],
    ['docs/**', 'docs', false, true],
    ['docs/**', 'DOCS/a', false, true],
    ['docs/**', 'ｄocs/a', false, true],
    ['docs/**', 'dоcs/a', false, false],
    ['docs/**', 'docs/a\0.md', false, false],
    ['docs/*.md', 'docs/a/b.md', false, false],
    ['**', '.', true, true],
    ['**', '..', false, false],
    ['**', '/etc/passwd', false, false],
    ['/etc/**', '../etc/passwd', true, true],
    ['/etc/**', '/etc/passwd', true, true],
    ['.github/**', '.github/workflows/ci.yml', true, true],
    ['**/*.key', 'a/b/.key', true, true],
    ['résumé/**', 're\u0301sume\u0301/a', false, true],
    ['{src,docs}/**', 'docs/a', true, true],
    ['!docs/**', 'src/a', false, false],
    ['#a', '#a', true, true],
  ] as const)('%j against %j', (pattern, path, allowed, touched) => {
    expect([pathAllowed(pattern, path, '/w'), pathTouched(pattern, path, '/w')]).toEqual([allowed, touched]);
  });

  it.each([
    ['secrets/**', '.', true],
    ['secrets/**', 'src', false],
    ['secrets/deep/**', 'secrets', true],
    ['secrets/**', 'secrets/deep', true],
    ['**/*.key', 'src', true],
    ['/etc/**', '.', false],
    ['/w/secrets/**', '.', true],
  ] as const)('%j may be below %j: %s', (pattern, directory, expected) => {
    expect(pathMayBeBelow(pattern, directory, '/w')).toBe(expected);
  });
});

describe('a URL', () => {
  it.each([
    ['https://example.org/**', 'https://example.org/', true, 'yes'],
    ['https://example.org', 'https://EXAMPLE.org:443/a/b?q=1#f', true, 'yes'],
    ['https://example.org/**', 'http://example.org/', false, 'no'],
    ['https://example.org/**', 'https://example.org@evil.test/', false, 'no'],
    ['https://example.org/**', 'https://me:pw@example.org/', false, 'yes'],
    ['https://example.org/**', 'https://example.org.evil.test/', false, 'no'],
    ['https://example.org/**', 'https://evil.test/https://example.org/', false, 'no'],
    ['https://example.org/**', 'https://evil.test#@example.org/', false, 'no'],
    ['https://example.org/**', String.raw`https://evil.test\@example.org/`, false, 'no'],
    ['https://example.org/**', String.raw`https:\\example.org\a`, false, 'yes'],
    ['https://example.org/**', 'https://exam\tple.org/', false, 'yes'],
    ['https://example.org/**', ' https://example.org/', false, 'yes'],
    ['https://example.org/**', 'https://exаmple.org/', false, 'no'],
    ['https://example.org/**', 'https://ｅxample.org/', true, 'yes'],
    ['https://example.org/**', 'https://example。org/', true, 'yes'],
    ['https://example.org/**', 'https://example.org./', true, 'yes'],
    ['https://example.org/**', 'https://example.org:8443/', false, 'no'],
    ['https://example.org:8443/**', 'https://example.org:8443/', true, 'yes'],
    ['https://example.org:*/**', 'https://example.org:8443/', true, 'yes'],
    ['https://*.example.org/**', 'https://a.b.example.org/', true, 'yes'],
    ['https://*.example.org/**', 'https://evilexample.org/', false, 'no'],
    ['https://bücher.test/**', 'https://xn--bcher-kva.test/', true, 'yes'],
    ['http://127.0.0.1/**', 'http://2130706433/', true, 'yes'],
    ['http://[::1]/**', 'http://[0:0:0:0:0:0:0:1]/', true, 'yes'],
    ['https://example.org/a/**', 'https://example.org/a/../b', false, 'no'],
    ['https://example.org/a/**', 'https://example.org/a/%2e%2e/b', false, 'no'],
    ['https://example.org/a/**', 'https://example.org/a/..%2fb', false, 'maybe'],
    ['https://example.org/a/**', 'https://example.org/a/%252e%252e/b', false, 'maybe'],
    ['https://example.org/a/**', 'https://example.org/a/..;/b', false, 'maybe'],
    ['https://example.org/a/**', 'https://example.org/%61/b', true, 'yes'],
    ['https://example.org/A', 'https://example.org/a', false, 'yes'],
    ['https://example.org/a', 'https://example.org/a/', false, 'yes'],
    ['https://example.org/**', 'not a url', false, 'maybe'],
    ['https://example.org/**', 'file:///etc/passwd', false, 'no'],
  ] as const)('%j against %j', (pattern, url, allowed, touched) => {
    expect([urlAllowed(pattern, url), urlTouched(pattern, url)]).toEqual([allowed, touched]);
  });
});
