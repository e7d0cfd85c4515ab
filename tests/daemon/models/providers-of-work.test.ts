import { describe, expect, test } from 'vitest';
import type { EngageSettings, Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import {
  keptToProviders,
  placeOf,
  placesOf,
  strayModel,
  withProviders,
} from '../../../src/daemon/models/providers-of-work.ts';

const OWN = `[providers.own]\nkind = "openai"\nbase_url = "https://own.example/v1?key=secret"\napi_key_env = "OWN_KEY"\n`;
const NEXT = `[providers.next]\nkind = "anthropic"\nbase_url = "https://next.example"\napi_key_env = "NEXT_KEY"\n`;

function configOf(text: string, env: Record<string, string> = {}) {
  const readSecretFile = () => ({ ok: false, detail: 'no such file' }) as const;
  return readConfig({ env, toml: { path: '/etc/animus.toml', text }, userHome: '/home/x', cwd: '/', readSecretFile });
}

function facultyWith(model: string, ...fallbackModels: string[]): Faculty {
  return { name: 'f', engage: { mode: 'builtin', model, fallbackModels } as unknown as EngageSettings } as Faculty;
}

/** A faculty as its focus has recorded it, under another configuration now. */
function kept(text: string, then: string, ...models: [string, ...string[]]) {
  const begun = withProviders(facultyWith(...models), configOf(then));
  return keptToProviders(JSON.parse(JSON.stringify(begun)) as Faculty, configOf(text));
}

const modelsOf = (found: ReturnType<typeof kept>) =>
  'faculty' in found ? [found.faculty.engage.model, ...found.faculty.engage.fallbackModels] : found.changed;

describe('work that has begun', () => {
  test.each([
    ['nothing', OWN, ['own/m']],
    ['its name', OWN.replace('own]', 'renamed]'), ['renamed/m']],
    ['its name, which another one has now', NEXT.replace('next]', 'own]') + OWN.replace('own]', 'old]'), ['old/m']],
    ['a proxy', `${OWN}proxy_env = "HTTPS_PROXY"\n`, ['own/m']],
    ['headers', `${OWN}headers = { x-team = "b" }\n`, ['own/m']],
    ['the slash at the end of its address', OWN.replace('/v1?', '/v1/?'), ['own/m']],
  ])('goes on after a change of %s', (_, now, models) => {
    expect(modelsOf(kept(now, OWN, 'own/m'))).toEqual(models);
  });

  test.each([
    ['address', OWN.replace('own.example', 'other.example'), 'openai at https://other.example/v1 with OWN_KEY'],
    ['path', OWN.replace('/v1', '/v2'), 'openai at https://own.example/v2 with OWN_KEY'],
    ['variable of the key', OWN.replace('OWN_KEY', 'NEXT_KEY'), 'openai at https://own.example/v1 with NEXT_KEY'],
    ['kind', OWN.replace('"openai"', '"anthropic"'), 'anthropic at https://own.example/v1 with OWN_KEY'],
    [
      'command that prints the key',
      OWN.replace('api_key_env = "OWN_KEY"', 'credentials = { command = ["login"] }'),
      expect.stringContaining('with command: '),
    ],
    ['entry, which is gone', NEXT, null],
  ])('stops after a change of its %s', (_, now, is) => {
    expect(modelsOf(kept(now, OWN, 'own/m'))).toEqual({
      model: 'own/m',
      began: 'openai at https://own.example/v1 with OWN_KEY',
      now: is,
    });
  });

  test('does not go to another vendor behind the same gateway and key', () => {
    const one = `${OWN}headers = { x-vendor = "one" }\n`;
    const two = OWN.replace('own]', 'two]').concat('headers = { x-vendor = "two" }\n');
    expect(modelsOf(kept(two, one, 'own/m'))).toMatchObject({ model: 'own/m', now: null });
  });

  test('goes on with another file of a script, but not with another script', () => {
    const play = (name: string, file: string) => `[providers.${name}]\nkind = "scripted"\nscript = "${file}"\n`;
    expect(modelsOf(kept(play('play', 'b.toml'), play('play', 'a.toml'), 'play/m'))).toEqual(['play/m']);
    expect(modelsOf(kept(play('new', 'a.toml'), play('play', 'a.toml'), 'play/m'))).toEqual(['new/m']);
    expect(modelsOf(kept(play('new', 'b.toml'), play('play', 'a.toml'), 'play/m'))).toMatchObject({ now: null });
  });

  test('keeps the fallback models whose provider is there, and none in place of its model', () => {
    const found = kept(NEXT, OWN + NEXT, 'next/m', 'own/m', 'next/small');
    expect(modelsOf(found)).toEqual(['next/m', 'next/small']);
    expect(found).toMatchObject({ lost: [{ model: 'own/m', now: null }] });
    expect(modelsOf(kept(NEXT, OWN + NEXT, 'own/m', 'next/m'))).toMatchObject({ model: 'own/m' });
  });

  test('a model without a slash is one of anthropic, wherever that is', () => {
    const at = (url: string) => configOf('', { ANTHROPIC_BASE_URL: url });
    const begun = JSON.parse(JSON.stringify(withProviders(facultyWith('m'), at('https://a.example')))) as Faculty;
    expect(modelsOf(keptToProviders(begun, at('https://a.example')))).toEqual(['m']);
    expect(modelsOf(keptToProviders(begun, at('https://b.example')))).toMatchObject({ model: 'm' });
  });

  test('of an earlier animus goes by the name, which has to be there', () => {
    expect(keptToProviders(facultyWith('own/m'), configOf(OWN))).toMatchObject({ lost: [] });
    expect(keptToProviders(facultyWith('own/m'), configOf(NEXT))).toEqual({
      changed: { model: 'own/m', began: null, now: null },
    });
  });
});

test('no secret is recorded', () => {
  const recorded = JSON.stringify(withProviders(facultyWith('own/m'), configOf(OWN, { OWN_KEY: 'sk-very-secret' })));
  expect(recorded).toContain('OWN_KEY');
  expect(recorded).not.toContain('secret');
  const login = (key: string) =>
    OWN.replace('api_key_env = "OWN_KEY"', `credentials = { command = ["login", "${key}"] }`);
  const begun = withProviders(facultyWith('own/m'), configOf(login('sk-one')));
  expect(JSON.stringify(begun)).not.toContain('sk-one');
  expect(modelsOf(keptToProviders(begun, configOf(login('sk-one'))))).toEqual(['own/m']);
  expect(modelsOf(keptToProviders(begun, configOf(login('sk-two'))))).toMatchObject({ model: 'own/m' });
});

test('a model whose record names another provider is found, for whoever forgot to keep to it', () => {
  const begun = withProviders(facultyWith('next/m', 'own/m'), configOf(OWN + NEXT));
  expect(strayModel(begun, configOf(OWN + NEXT))).toBeNull();
  expect(strayModel(begun, configOf(OWN.replace('own.example', 'other.example') + NEXT))).toBe('own/m');
  expect(strayModel(begun, configOf(OWN))).toBe('next/m');
});

test('a place is that of a provider under whatever name, and the name for what an earlier animus put there', () => {
  const now = configOf(OWN.replace('own]', 'renamed]') + NEXT);
  const places = placesOf(now);
  expect(places.get(placeOf(configOf(OWN).providers.get('own')!))).toBe('renamed');
  expect(places.get('next')).toBe('next');
  expect(places.get('own')).toBeUndefined();
});
