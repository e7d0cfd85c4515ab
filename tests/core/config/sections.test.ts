/** Promise: a part of animus declares a section of animus.toml in its own folder, and all that is known about sections holds for it. */
import { expect, test } from 'vitest';
import { type Config, type FixedConfig, settingsIn } from '../../../src/core/config/config.ts';
import { changedSettings, isLive, withLiveSettings } from '../../../src/core/config/live-settings.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import { secretVariables } from '../../../src/core/config/secret-variables.ts';
import { shownSettings } from '../../../src/core/config/shown-settings.ts';
import { section } from '../../../src/core/config/source/section.ts';
import { count, seconds, variableName } from '../../../src/core/toml/fields.ts';
import { key, liveKey } from '../../../src/core/toml/keys.ts';

const mailboxes = section(
  'mailboxes',
  {
    most_letters: liveKey(count(1, 100).default(7), 'letters in one mailbox'),
    poll_seconds: key(seconds(1, 60).optional(), 'how often it is emptied'),
    key_env: key(variableName().optional(), 'the variable with its key'),
  },
  {
    read: (settings) => ({ ...settings, isEmpty: false }),
    secrets: ({ keyEnv }) => (keyEnv === null ? [] : [{ name: keyEnv, users: ['daemon'], purpose: 'reading letters' }]),
  },
);

function read(text: string, env: Readonly<Record<string, string>> = {}): Config {
  const readSecretFile = () => ({ ok: false, detail: 'no such file' }) as const;
  const toml = { path: '/site/animus.toml', text };
  return readConfig({ env, toml, userHome: '/home/ada', cwd: '/site', readSecretFile }, [mailboxes]);
}

test('it has defaults, types and messages', () => {
  expect(settingsIn(mailboxes, read(''))).toEqual({ mostLetters: 7, pollSeconds: null, keyEnv: null, isEmpty: false });
  const mostLetters: number = settingsIn(mailboxes, read('[mailboxes]\nmost_letters = 9')).mostLetters;
  expect(mostLetters).toBe(9);
  expect(() => read('[mailboxes]\nmost_letters = 101')).toThrow(
    '/site/animus.toml:2: mailboxes.most_letters: expected a whole number from 1 to 100, got 101',
  );
  expect(() => read('[mailboxes]\nmost_leters = 9')).toThrow('did you mean most_letters?');
});

test('those of animus keep their bounds beside it', () => {
  const message = 'skills.stale_days: expected a whole number from 1 to 3650, got 0';
  expect(() => read('[skills]\nstale_days = 0')).toThrow(message);
});

test('its changes are found, and applied at once where its keys say so', () => {
  const [before, after] = [read('[mailboxes]\npoll_seconds = 5'), read('[mailboxes]\nmost_letters = 9')];
  expect(changedSettings(before, after)).toEqual(['mailboxes.most_letters', 'mailboxes.poll_seconds']);
  expect(changedSettings(before, after).map((changed) => isLive(changed, before))).toEqual([true, false]);
  expect(settingsIn(mailboxes, withLiveSettings(before, after))).toMatchObject({ mostLetters: 9, pollSeconds: 5 });
});

test('code that keeps the configuration of the start cannot read its live settings, and nobody one that was not read', () => {
  const fixed: FixedConfig = read('');
  expect(settingsIn(mailboxes, fixed).pollSeconds).toBeNull();
  // @ts-expect-error it is live
  expect(settingsIn(mailboxes, fixed).mostLetters).toBe(7);
  expect(() => settingsIn({ ...mailboxes }, fixed)).toThrow('[mailboxes] was not read');
});

test('its settings are shown with their origin, and its secrets are known', () => {
  const config = read('[mailboxes]\nkey_env = "LETTERS_KEY"');
  expect([...shownSettings(config)].filter(([name]) => name.startsWith('mailboxes.'))).toEqual([
    ['mailboxes.most_letters', 7],
    ['mailboxes.poll_seconds', null],
    ['mailboxes.key_env', 'LETTERS_KEY'],
  ]);
  expect(config.origins.get('mailboxes.key_env')).toBe('/site/animus.toml:2');
  expect(config.origins.get('mailboxes.most_letters')).toBe('default');
  expect(secretVariables(config)).toContainEqual({
    name: 'LETTERS_KEY',
    users: ['daemon'],
    purpose: 'reading letters',
  });
});

test('what is set to nothing is not shown as not set, where that is another setting', () => {
  const oidc = '[http.oidc]\nissuer = "https://issuer.example"\naudience = ["animus"]\nscope_prefix = ""\n';
  const shown = shownSettings(read(`${oidc}[models."anthropic/x"]\nefforts = []`));
  expect(shown.get('http.oidc.scope_prefix')).toBe('');
  expect(shown.get('models."anthropic/x".efforts')).toBe('[]');
  expect(shown.get('http.oidc.person_prefix')).toBeNull();
  expect(shown.get('http.allowed_hosts')).toBeNull();
});

test('a section of the same file that nobody declares is refused', () => {
  expect(() => read('[letters]')).toThrow('letters: unknown key');
});
