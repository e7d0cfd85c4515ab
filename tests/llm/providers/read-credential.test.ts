import { describe, expect, test } from 'vitest';
import { readCredential } from '../../../src/llm/providers/read-credential.ts';

const NOW = Date.UTC(2026, 0, 1);
const LATER = Date.UTC(2026, 0, 1, 1);

describe('what credential commands print', () => {
  test.each([
    ['gcloud auth print-access-token', 'ya29.abc\n', { key: 'ya29.abc' }, null],
    [
      'gcloud config config-helper --format=json',
      { configuration: {}, credential: { access_token: 'ya29', id_token: 'x', token_expiry: '2026-01-01T01:00:00Z' } },
      { key: 'ya29' },
      LATER,
    ],
    [
      'az account get-access-token',
      { accessToken: 'eyJ', expiresOn: '2026-01-01 02:00:00.000000', expires_on: LATER / 1000, tokenType: 'Bearer' },
      { key: 'eyJ' },
      LATER,
    ],
    [
      'aws configure export-credentials',
      {
        Version: 1,
        AccessKeyId: 'AKIA',
        SecretAccessKey: 's',
        SessionToken: 't',
        Expiration: '2026-01-01T01:00:00+00:00',
      },
      { key: null, aws: { accessKeyId: 'AKIA', secretAccessKey: 's', sessionToken: 't' } },
      LATER,
    ],
    [
      'aws sts assume-role',
      {
        Credentials: { AccessKeyId: 'AKIA', SecretAccessKey: 's', Expiration: '2026-01-01T01:00:00Z' },
        AssumedRoleUser: {},
      },
      { key: null, aws: { accessKeyId: 'AKIA', secretAccessKey: 's', sessionToken: null } },
      LATER,
    ],
    [
      'a Kubernetes plugin',
      { kind: 'ExecCredential', status: { token: 'k8s', expirationTimestamp: '2026-01-01T01:00:00Z' } },
      { key: 'k8s' },
      LATER,
    ],
    ['an OAuth server', { access_token: 'o', expires_in: 3600, scope: 'x' }, { key: 'o' }, LATER],
    ['a vault', { api_key: 'v', expires_at: String(LATER / 1000) }, { key: 'v' }, LATER],
  ])('%s', (_, printed, credential, expiresAtMs) => {
    const text = typeof printed === 'string' ? printed : JSON.stringify(printed, null, 2);
    expect(readCredential(text, NOW)).toEqual({ credential, expiresAtMs });
  });

  test('a local time of Azure is read as such', () => {
    const read = readCredential(
      JSON.stringify({ accessToken: 'a', expiresOn: '2026-01-01 12:00:00.000000' }),
      NOW - 86_400_000,
    );
    expect(read).toMatchObject({ expiresAtMs: new Date('2026-01-01T12:00:00').getTime() });
  });

  test.each([
    '',
    '  \n',
    '{"a":',
    '{"token": ""}',
    '[1]x y',
    'two\nlines',
    'ünïcode',
    'x'.repeat(70_000),
    '{"token":"a b"}',
  ])('no credential: %j', (printed) => {
    const read = readCredential(printed, NOW);
    expect(read).toHaveProperty('problem');
    expect(JSON.stringify(read)).not.toContain('lines"');
  });
});
