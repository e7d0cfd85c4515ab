import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../../src/core/errors/error-table.ts';
import { AnimusError, isAnimusError, messageOf } from '../../../src/core/errors/errors.ts';
import { tableRows } from '../../support/markdown-table.ts';

describe('the error table', () => {
  test('matches docs/errors.md', () => {
    const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const documented = tableRows(page).slice(1);
    const expected = Object.entries(ERRORS).map(([code, { message, retryable, exit, http }]) => {
      return [`\`${code}\``, message.replaceAll('\n', ' '), retryable ? 'yes' : 'no', String(exit), String(http)];
    });
    expect(documented).toEqual(expected);
  });

  test('uses only exit codes that docs/cli.md explains', () => {
    const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
    const explained = tableRows(page).map(([code]) => Number(code));
    expect(explained).toEqual(expect.arrayContaining(Object.values(ERRORS).map(({ exit }) => exit)));
  });
});

describe('an error', () => {
  test('fills its message from its details, and says if one is missing', () => {
    const error = new AnimusError('config.invalid', { file: 'a.toml', key: 'x', expected: 'y', value: ['z'] });
    expect(error.message).toBe('a.toml: x: expected y, got ["z"]');
    expect(error).toMatchObject({ code: 'config.invalid', exitCode: 2, retryable: false });
    expect(isAnimusError(error, 'config.invalid')).toBe(true);
    expect(isAnimusError(error, 'work.state')).toBe(false);
  });

  test('does not compile without what its message says, or with a key that it does not know', () => {
    // @ts-expect-error -- `held` is missing
    expect(new AnimusError('work.lease_lost', {}).message).toBe(
      'the lease on  is lost: another daemon may have it now',
    );
    // @ts-expect-error -- so are all details
    expect(new AnimusError('work.lease_lost')).toBeInstanceOf(Error);
    // @ts-expect-error -- a placeholder that may be missing has to be spelt, too
    expect(new AnimusError('work.state', { detail: 'no', hnit: '; yes' }).message).toBe('no');
    // @ts-expect-error -- nothing is printed of undefined
    expect(new AnimusError('usage.invalid', { detail: undefined }).message).toBe('');
    expect(new AnimusError('work.state', { detail: 'no' }).message).toBe('no');
    expect(new AnimusError('http.starting').message).toBe('animus is starting; try again in a moment');
  });

  test('gets a one-line text from any thrown value', () => {
    expect(messageOf(new Error('', { cause: new Error('why') }))).toBe('why');
    expect(messageOf(new AggregateError([new Error('a'), new Error('b')]))).toBe('a; b');
    expect(messageOf(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') }))).toBe(
      'connect ECONNREFUSED 127.0.0.1:1',
    );
    expect(messageOf(new TypeError('fetch failed'))).toBe('fetch failed');
    expect(messageOf('text')).toBe('text');
  });
});
