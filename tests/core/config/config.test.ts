import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { HTTP_PROVIDER_KINDS } from '../../../src/core/config/providers/provider.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import type { ConfigSources } from '../../../src/core/config/source/environment.ts';
import { AnimusError } from '../../../src/core/errors/errors.ts';

/** As a message lists them. */
const KINDS_SHOWN = [...HTTP_PROVIDER_KINDS, 'scripted'].map((kind) => `"${kind}"`).join(' or ');

describe('a configuration', () => {
  test('is complete without a file and without environment', () => {
    const config = readConfig(sources());
    expect(config).toMatchObject({ file: null, home: '/home/ada/.animus', databaseUrl: null, logLevel: 'info' });
    expect(config.daemon).toEqual({
      maxConcurrent: 4,
      commitEmail: 'animus@localhost',
      leaseSeconds: 60,
      pollSeconds: 0.25,
      shutdownGraceSeconds: 30,
      focusHostGraceSeconds: 120,
      focusMaxMemoryMib: 2048,
      focusMaxProcesses: 1024,
      poolSize: 10,
      http: { host: '127.0.0.1', port: 7717, configured: false },
    });
    expect([...config.providers.keys()]).toEqual(['anthropic', 'openai']);
    expect(config.retention).toEqual({
      resolvedDays: 90,
      packDays: null,
      artifactsDays: 30,
      worktreeDays: 14,
      heldWorktreeDays: null,
      directoriesDays: 7,
    });
    expect(config.origins.get('daemon.lease_seconds')).toBe('default');
  });

  test('polls slowly if notifications work, and as configured everywhere', () => {
    const env = { DATABASE_URL: 'postgres://ada@db/work' };
    expect(readConfig(sources({ env })).daemon.pollSeconds).toBe(5);
    expect(readConfig(sources({ text: '[daemon]\npoll_seconds = 2' })).daemon.pollSeconds).toBe(2);
  });

  test('reports the origin of each value', () => {
    const env = { ANTHROPIC_API_KEY: 'k', DATABASE_URL_FILE: 'url', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/v1/' };
    const secretFile = { ok: true, text: 'postgres:///x\n', mode: 0o600 } as const;
    const config = readConfig(sources({ env, secretFile, text: '# first\n[daemon]\nlease_seconds = 30' }));
    expect(config.origins.get('database_url')).toBe('environment DATABASE_URL_FILE');
    expect(config.origins.get('daemon.lease_seconds')).toBe('/etc/animus.toml:3');
    expect(config.origins.get('providers.anthropic.api_key')).toBe('environment ANTHROPIC_API_KEY');
    expect(config.providers.get('anthropic')).toMatchObject({ baseUrl: 'http://127.0.0.1:1/v1' });
  });

  test('lets only providers of kind openai choose a wire', () => {
    const text = `
      [providers.gateway]
      kind = "openai"
      base_url = "http://127.0.0.1:1/v1"
      wire = "chat"
      [models."gateway/m"]
      wire = "chat"
      usd_per_million = { input = 0, output = 0.5 }`;
    const config = readConfig(sources({ text }));
    expect(config.providers.get('gateway')).toMatchObject({ wire: 'chat' });
    expect(config.models.get('gateway/m')).toMatchObject({ wire: 'chat' });
    const kind = (wrong: string) => text.replace('kind = "openai"', wrong);
    const problem = (wrong: string) => () => readConfig(sources({ text: kind(wrong) }));
    expect(problem('kind = "anthropic"')).toThrow(/no choice of wire formats/);
    expect(problem('kind = "scripted"\nscript = "x.toml"')).toThrow(/has no wire format/);
    expect(() => readConfig(sources({ text: '[models."anthropic/m"]\nwire = "chat"' }))).toThrow(
      /no choice of wire formats/,
    );
  });

  test('reads providers and models from the file, scripts from beside the file, keys from the named variables', () => {
    const text = `
      [providers.local]
      kind = "anthropic"
      base_url = "http://127.0.0.1:11434/v1"
      api_key_env = "OLLAMA_API_KEY"
      [providers.play]
      kind = "scripted"
      script = "scripts/demo.toml"
      [models."local/qwen3"]
      context_window = 131072
      usd_per_million = { input = 0, output = 0.5 }`;
    const config = readConfig(sources({ text, env: { OLLAMA_API_KEY: 's3cret' } }));
    const local = config.providers.get('local');
    expect(local).toMatchObject({
      kind: 'anthropic',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKeyEnv: 'OLLAMA_API_KEY',
    });
    expect(local?.kind === 'anthropic' && local.apiKey?.reveal()).toBe('s3cret');
    expect(config.providers.get('play')).toEqual({ name: 'play', kind: 'scripted', script: '/etc/scripts/demo.toml' });
    expect(config.models.get('local/qwen3')).toMatchObject({
      contextWindow: 131072,
      usdPerMillion: { input: 0, output: 0.5, cacheRead: null },
    });
  });

  test('never prints a secret, in any form of output', () => {
    const env = { ANTHROPIC_API_KEY: 'sk-SECRET', DATABASE_URL: 'postgres://a:SECRET@db/x' };
    const config = readConfig(sources({ env }));
    const secrets = [config.databaseUrl, config.providers.get('anthropic')];
    for (const text of [
      inspect(config, { depth: 9, showHidden: true }),
      JSON.stringify(secrets),
      String(config.databaseUrl),
    ]) {
      expect(text).not.toContain('SECRET');
      expect(text).toContain('***');
    }
  });
});

describe('a configuration is refused', () => {
  test('with all problems at once, each with its line', () => {
    const text = [
      '[daemon]',
      'max_concurent = 3',
      'lease_seconds = "60"',
      'http = 7717',
      '[budget]',
      'max_usd_per_day = "3"',
      '[providers.Local]',
      'kind = "anthropic"',
      '[providers.play]',
      'kind = "scripted"',
      '[models."nowhere/x"]',
      'context_window = -1',
    ].join('\n');
    const message = refusal({ text, env: { LOG_LEVEL: 'inof', DATABASE_URL: 'mysql://root:SECRET@db/x' } }).message;
    expect(
      message
        .split('\n')
        .slice(1)
        .map((line) => line.trim()),
    ).toEqual([
      '/etc/animus.toml:2: daemon.max_concurent: unknown key (did you mean max_concurrent?)',
      '/etc/animus.toml:3: daemon.lease_seconds: expected seconds from 5 to 3600, got "60"',
      '/etc/animus.toml:4: daemon.http: expected HOST:PORT with a port from 0 (a free one) to 65535, or "off", got 7717',
      '/etc/animus.toml:6: budget.max_usd_per_day: expected a number from 0.000001 to 100000000, got "3"',
      '/etc/animus.toml:7: providers.Local: expected as name of 1 to 63 lower-case letters, digits, - and _, got "Local"',
      '/etc/animus.toml:9: providers.play.script: a scripted provider needs script = "file.toml"',
      '/etc/animus.toml:11: models."nowhere/x": no provider named nowhere; the providers are anthropic, openai',
      '/etc/animus.toml:12: models."nowhere/x".context_window: expected a whole number from 1 to 100000000, got -1',
      'environment: LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "inof" (did you mean info?)',
      'environment: DATABASE_URL: expected postgres://user:password@host:port/database, got ***',
    ]);
  });

  test.each([
    ['[daemon]\npoll_seconds = 60', 'daemon.poll_seconds: expected less than lease_seconds (60), got 60'],
    [
      '[daemon]\nhttp = "7717"',
      ':2: daemon.http: expected HOST:PORT with a port from 0 (a free one) to 65535, or "off", got "7717"',
    ],
    [
      '[daemon]\nhttp = "[::1]:70000"',
      'daemon.http: expected HOST:PORT with a port from 0 (a free one) to 65535, or "off"',
    ],
    ['[retention]\nresolved_days = 0', ':2: retention.resolved_days: expected a whole number from 1 to 36500, got 0'],
    ['[daemon]\nlease_seconds = nan', 'daemon.lease_seconds: expected seconds from 5 to 3600, got NaN'],
    ['[daemon]\nlease_seconds = 1e400', 'daemon.lease_seconds: expected seconds from 5 to 3600, got Infinity'],
    ['daemon = 3', ':1: daemon: expected a table, got 3'],
    ['max_concurrent = 3', 'max_concurrent: unknown key (it belongs in [daemon])'],
    ['[providers.x]\nkind = "opneai"', `:2: providers.x.kind: expected ${KINDS_SHOWN}, got "opneai"`],
    ['[providers.x]\nbase_url = "http://h"', `:1: providers.x.kind: expected ${KINDS_SHOWN}, got nothing`],
    ['[providers.x]\nkind = "anthropic"\nbase_url = "ftp://h"', 'expected an http:// or https:// URL'],
    [
      '[providers.x]\nkind = "openai"\nbase_url = "h/v1"',
      ':3: providers.x.base_url: expected an http:// or https:// URL',
    ],
    ['[providers.x]\nkind = "openai"\nbase_url = "http://h:99999"', ':3: providers.x.base_url: expected an http'],
    ['[providers.x]\nkind = "openai"\nbase_url = "http://h/%zz?k=%"', ':3: providers.x.base_url: expected an http'],
    ['[providers.x]\nkind = "openai"\nbase_url = "http://r:%zz@h"', ':3: providers.x.base_url: expected an http'],
    [
      '[models."anthropic/x"]\nusd_per_million = { input = 1 }',
      'usd_per_million.output: expected USD per million tokens, 0 or more, got nothing',
    ],
    ['[models.gpt]\nmax_output = 1', 'expected as name of the form "provider/model", got "gpt"'],
    ['__proto__.x = 1', 'unknown key'],
    ['[daemon]\nlease_seconds = 2026-01-01', 'got the date 2026-01-01'],
    ['[daemon\n', 'invalid TOML'],
  ])('for %j', (text, expected) => {
    expect(refusal({ text }).message).toContain(expected);
  });

  test('with the code of its only problem, for programs', () => {
    expect(refusal({ text: '[sandbox]\npool = 2' })).toMatchObject({ code: 'config.unknown_key', exitCode: 2 });
    expect(refusal({ text: '[a' })).toMatchObject({ code: 'config.syntax' });
  });

  test('if the file of a secret is readable by others, empty, missing, or given together with its variable', () => {
    const env = { ANTHROPIC_API_KEY_FILE: '/run/key' };
    const refused = (secretFile: ReturnType<ConfigSources['readSecretFile']>, more = {}) =>
      refusal({ env: { ...env, ...more }, secretFile }).message;
    expect(refused({ ok: true, text: 'SECRET', mode: 0o100640 })).toBe(
      '/run/key: is readable by others (mode 0640); run: chmod 600 /run/key',
    );
    expect(refused({ ok: true, text: ' \n', mode: 0o600 })).toContain('expected a secret in the file, got nothing');
    expect(refused({ ok: false, detail: 'ENOENT' })).toContain(
      '/run/key: cannot be read: ENOENT (named by ANTHROPIC_API_KEY_FILE)',
    );
    expect(refused({ ok: true, text: 'x', mode: null }, { ANTHROPIC_API_KEY: 'y' })).toContain('are both set');
  });

  test('without printing a key that was pasted in place of the name of its variable', () => {
    const text = '[providers.x]\nkind = "anthropic"\napi_key_env = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAA"';
    const { message } = refusal({ text });
    expect(message).toContain('expected the name of an environment variable');
    expect(message).not.toContain('AAAA');
  });

  test('without a home directory', () => {
    expect(refusal({ userHome: null }).message).toContain(
      'ANIMUS_HOME: expected a directory, because this user has no home',
    );
    expect(readConfig(sources({ userHome: null, env: { ANIMUS_HOME: 'here' } })).home).toBe('/work/here');
  });
});

interface Given {
  readonly text?: string;
  readonly env?: Record<string, string>;
  readonly userHome?: string | null;
  readonly secretFile?: ReturnType<ConfigSources['readSecretFile']>;
}

function sources({ text, env = {}, userHome = '/home/ada', secretFile }: Given = {}): ConfigSources {
  return {
    env,
    toml: text === undefined ? null : { path: '/etc/animus.toml', text },
    userHome,
    cwd: '/work',
    readSecretFile: () => secretFile ?? { ok: false, detail: 'no such file in this test' },
  };
}

function refusal(given: Given): AnimusError {
  try {
    readConfig(sources(given));
  } catch (error) {
    if (error instanceof AnimusError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
