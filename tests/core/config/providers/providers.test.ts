import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { HttpProviderConfig } from '../../../../src/core/config/providers/provider.ts';
import { readConfig } from '../../../../src/core/config/read-config.ts';
import type { ConfigSources } from '../../../../src/core/config/source/environment.ts';

function sources(text: string, env: ConfigSources['env'] = {}): ConfigSources {
  const readSecretFile = () => ({ ok: false, detail: 'no such file' }) as const;
  return { env, toml: { path: '/etc/animus.toml', text }, userHome: '/home/ada', cwd: '/work', readSecretFile };
}

function provider(text: string, env: ConfigSources['env'] = {}): HttpProviderConfig {
  const [found] = [...readConfig(sources(text, env)).providers.values()].slice(-1);
  if (!found || found.kind === 'scripted') throw new Error('no provider that is called over HTTP');
  return found;
}

describe('a provider', () => {
  test('has headers, fields of requests, time-outs, a proxy and certificates, secrets from the environment', () => {
    const text = `
      [providers.gateway]
      kind = "openai"
      base_url = "https://gw.example.com/v1/"
      headers = { X-Team = "agents" }
      header_env = { X-Portal-Key = "PORTAL_KEY", X-Other = "NOT_SET" }
      options = { top_p = 0.9, provider = { order = ["a"] } }
      stream = false
      timeouts = { connect_seconds = 2.5, total_seconds = 600 }
      proxy_env = "HTTPS_PROXY"
      ca_file = "corp.pem"`;
    const env = { PORTAL_KEY: 'SECRET-1', HTTPS_PROXY: 'http://me:SECRET-2@proxy:3128' };
    const found = provider(text, env);
    expect(found).toMatchObject({
      baseUrl: 'https://gw.example.com/v1',
      headers: { 'x-team': 'agents' },
      options: { top_p: 0.9, provider: { order: ['a'] } },
      stream: false,
      timeouts: { connectSeconds: 2.5, firstByteSeconds: null, totalSeconds: 600 },
      caFile: '/etc/corp.pem',
      secretEnv: ['PORTAL_KEY', 'NOT_SET', 'HTTPS_PROXY'],
    });
    expect(found.secretHeaders['x-portal-key']?.reveal()).toBe('SECRET-1');
    expect(found.secretHeaders['x-other']).toBeNull();
    expect(found.proxy?.reveal()).toBe('http://me:SECRET-2@proxy:3128');
    expect(inspect(found, { depth: 9, showHidden: true }) + JSON.stringify(found)).not.toContain('SECRET');
  });

  test('gets its credentials from a command that runs beside the file', () => {
    const text = `
      [providers.google]
      kind = "vertex"
      project = "my-project"
      location = "europe-west1"
      credentials = { command = ["gcloud", "auth", "print-access-token"], environment = ["CLOUDSDK_*"] }`;
    expect(provider(text)).toMatchObject({
      baseUrl: 'https://europe-west1-aiplatform.googleapis.com',
      cloud: { project: 'my-project', location: 'europe-west1' },
      credentials: {
        command: ['gcloud', 'auth', 'print-access-token'],
        directory: '/etc',
        environment: ['CLOUDSDK_*'],
        refreshSeconds: 900,
        timeoutSeconds: 30,
      },
    });
  });

  test.each([
    ['kind = "vertex"\nproject = "p"\nlocation = "global"', 'https://aiplatform.googleapis.com'],
    ['kind = "vertex"\nproject = "p"\nlocation = "eu"', 'https://aiplatform.eu.rep.googleapis.com'],
    ['kind = "bedrock"\nregion = "us-west-2"', 'https://bedrock-runtime.us-west-2.amazonaws.com'],
    ['kind = "bedrock"\nregion = "cn-north-1"', 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn'],
    ['kind = "bedrock"\nregion = "x-1"\nbase_url = "https://vpce-1.example"', 'https://vpce-1.example'],
    ['kind = "ollama"', 'http://127.0.0.1:11434'],
  ])('has the address of its kind: %j', (keys, baseUrl) => {
    expect(provider(`[providers.x]\n${keys}`).baseUrl).toBe(baseUrl);
  });

  test('of kind bedrock reads AWS’s variables, and no others if it has a key or a command', () => {
    const env = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 's', BEDROCK_KEY: 'b' };
    const own = provider('[providers.aws]\nkind = "bedrock"', env);
    expect(own.awsKeys?.accessKeyId.reveal()).toBe('AKIA');
    expect(own).toMatchObject({ cloud: { region: 'eu-west-1' }, awsKeys: { sessionToken: null } });
    expect(own.secretEnv).toContain('AWS_SECRET_ACCESS_KEY');
    const keyed = provider('[providers.aws]\nkind = "bedrock"\napi_key_env = "BEDROCK_KEY"', env);
    expect([keyed.awsKeys, keyed.apiKey?.reveal()]).toEqual([null, 'b']);
  });

  test('that is built in takes settings, but neither address nor key', () => {
    const config = readConfig(
      sources('[providers.anthropic]\nkind = "anthropic"\nheaders = { x-team = "a" }', { ANTHROPIC_API_KEY: 'k' }),
    );
    expect(config.providers.get('anthropic')).toMatchObject({
      headers: { 'x-team': 'a' },
      baseUrl: 'https://api.anthropic.com',
    });
    expect(config.providers.get('openai')).toMatchObject({ headers: {}, stream: true, proxy: null });
  });
});

describe('a model', () => {
  test('has abilities, headers and fields of its own', () => {
    const text = `
      [models."openai/prod"]
      like = "openai/gpt-5.1"
      images = false
      thinking = "none"
      effort = true
      efforts = ["low", "high"]
      cache_ttls = ["1h"]
      parallel_tools = false
      headers = { X-Tier = "gold" }
      options = { seed = 7 }`;
    expect(readConfig(sources(text)).models.get('openai/prod')).toEqual({
      like: 'openai/gpt-5.1',
      images: false,
      documents: undefined,
      thinking: 'none',
      effort: true,
      efforts: ['low', 'high'],
      effortWithTools: undefined,
      parallelTools: false,
      userAfterTools: undefined,
      temperature: undefined,
      strictTools: undefined,
      serviceTiers: undefined,
      cacheTtls: ['1h'],
      headers: { 'x-tier': 'gold' },
      options: { seed: 7 },
    });
  });
});

test.each([
  ['kind = "azure"', 'providers.x.base_url: a provider of kind "azure" needs base_url'],
  ['kind = "bedrock"', 'providers.x.region: a provider of kind "bedrock" needs region, or AWS_REGION'],
  ['kind = "vertex"\nproject = "p"', 'providers.x.location: a provider of kind "vertex" needs location'],
  ['kind = "openai"\nregion = "r"', ':3: providers.x.region: only a provider of kind "bedrock" has this key'],
  ['kind = "ollama"\napi_version = "1"', 'providers.x.api_version: only a provider of kind "azure" has this key'],
  ['kind = "openai"\nheaders = { X-Api-Key = "k" }', 'X-Api-Key looks like a secret: put its value into a variable'],
  ['kind = "openai"\nheaders = { Host = "k" }', 'Host is set by animus itself'],
  ['kind = "openai"\nheaders = { "a b" = "k" }', 'expected as name the name of an HTTP header, got "a b"'],
  ['kind = "openai"\nheaders = { x = "a\\nb" }', 'expected ASCII text'],
  ['kind = "openai"\noptions = { model = "m" }', 'model is set by animus itself'],
  ['kind = "openai"\napi_key_env = "A"\ncredentials = { command = ["x"] }', 'api_key_env and credentials are both set'],
  ['kind = "openai"\ncredentials = { command = [] }', 'its command needs a program'],
  ['kind = "openai"\nproxy = "http://a"\nproxy_env = "B"', 'proxy and proxy_env are both set'],
  ['kind = "openai"\nproxy = "http://u:p@a"', 'expected an http:// or https:// URL without user and password'],
  ['kind = "openai"\nproxy_env = "BAD"', 'BAD must contain an http:// or https:// URL'],
  ['kind = "bedrock"\nregion = "r"\nkey_header = "x-key"', 'Bedrock takes a key in the header authorization'],
  ['kind = "scripted"\nscript = "s"\nproxy = "http://a"', 'providers.x.proxy: a scripted provider calls no server'],
])('a provider is refused: %j', (keys, message) => {
  const read = () => readConfig(sources(`[providers.x]\n${keys}`, { BAD: 'no-url-SECRET' }));
  expect(read).toThrow(message);
  expect(read).not.toThrow('SECRET');
});

test.each([
  ['[models."openai/a*b"]\nimages = true', '* is allowed only at the end'],
  ['[models."openai/a"]\nthinking = "deep"', 'thinking: expected "none" or "budget"'],
  ['[models."openai/a"]\nefforts = ["huge"]', 'efforts[0]: expected "none" or'],
  ['[models."openai/a"]\nlike = "gpt"', 'expected a model of the catalogue, "vendor/model"'],
  ['[models."openai/a"]\noptions = { stream = true }', 'stream is set by animus itself'],
  ['[providers.anthropic]\nkind = "openai"', 'anthropic is a built-in name'],
  [
    '[providers.anthropic]\nkind = "anthropic"\nbase_url = "http://h"',
    'set ANTHROPIC_BASE_URL, or choose another name',
  ],
])('refused: %j', (text, message) => {
  expect(() => readConfig(sources(text))).toThrow(message);
});
