import { describe, expect, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import { unknownEmbeddings, unknownModels } from '../../../src/daemon/models/unknown-models.ts';
import { openCatalogue } from '../../../src/llm/models/catalogue.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';

const PROVIDERS = `
[providers.mine]
kind = "anthropic"
[providers.gateway]
kind = "openai"
base_url = "https://llm.example.com/v1"
[providers.cloud]
kind = "azure"
base_url = "https://x.openai.azure.com"
[providers.aws]
kind = "bedrock"
region = "eu-west-1"
[providers.local]
kind = "ollama"
[providers.play]
kind = "scripted"
script = "play.toml"
`;

function configOf(text: string, env: Record<string, string> = {}) {
  const readSecretFile = () => ({ ok: false, detail: 'none' }) as const;
  return readConfig({ env, toml: { path: '/etc/animus.toml', text }, userHome: '/home/ada', cwd: '/', readSecretFile });
}

/** What is said of one name. */
function said(model: string, more = '', env: Record<string, string> = {}): string[] {
  const faculty = {
    file: '/f/a.toml',
    origins: { 'engage.fallback_models': '/f/a.toml:7' },
    engage: { mode: 'builtin', model: 'play/x', fallbackModels: [model] },
  } as unknown as Faculty;
  return unknownModels(faculty, configOf(PROVIDERS + more, env)).map(({ message }) => message);
}

const known = 'expected a model of the catalogue (see: animus models), or one that animus.toml describes';

describe('a name that its vendor does not have', () => {
  test.each([
    ['claude-sonet-4-5', 'claude-sonnet-4-5'],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['mine/claud-opus-4-5', 'claude-opus-4-5'],
    ['openai/gpt5', 'gpt-5'],
    ['openai/claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['gpt-4o', 'openai/gpt-4o'],
  ])('%s is said, with %s', (name, meant) => {
    expect(said(name)).toEqual([
      `/f/a.toml:7: faculty.engage.fallback_models: ${known}, got "${name}" (did you mean ${meant}?)`,
    ]);
  });

  test('without a near name is said without one', () => {
    expect(said('openai/x')).toEqual([`/f/a.toml:7: faculty.engage.fallback_models: ${known}, got "openai/x"`]);
  });

  test('is said although all models of the provider have a header', () => {
    expect(said('openai/gpt5', '[models."openai/*"]\nheaders = { x-team = "a" }\n')).toHaveLength(1);
  });
});

describe('no alarm for', () => {
  const ofVendors = openCatalogue().entries.filter(({ vendor }) => vendor === 'anthropic' || vendor === 'openai');

  test.each(['', '-20250929', '-2025-09-29', '-latest'])('the catalogue with the end "%s"', (end) => {
    expect(ofVendors.flatMap(({ vendor, model }) => said(`${vendor}/${model}${end}`))).toEqual([]);
  });

  test.each([
    'openai/ft:gpt-4o-2024-08-06:acme::abc',
    'gateway/anthropic/claude-sonet-4-5',
    'cloud/my-deployment',
    'aws/eu.anthropic.claude-sonet-4-5-20250929-v1:0',
    'local/qwen3',
    'play/anything',
  ])('%s', (name) => {
    expect(said(name)).toEqual([]);
  });

  test('a model that animus.toml describes, by its name or by the begin of it', () => {
    const price = 'usd_per_million = { input = 1, output = 2 }\n';
    expect(said('openai/gpt-9', `[models."openai/gpt-9"]\n${price}`)).toEqual([]);
    expect(said('openai/gpt-9-mini', `[models."openai/gpt-9*"]\n${price}`)).toEqual([]);
  });

  test('a built-in provider whose address is a gateway', () => {
    expect(said('claude-sonet-4-5', '', { ANTHROPIC_BASE_URL: 'https://llm.example.com' })).toEqual([]);
  });
});

describe('the model of [embeddings]', () => {
  const table = (provider: string, model: string) =>
    `${PROVIDERS}[embeddings]\nprovider = "${provider}"\nmodel = "${model}"\ndimensions = 1536\n`;
  const of = (text: string) => unknownEmbeddings(configOf(text)).map(({ message }) => message);

  test('is checked in the same way', () => {
    expect(of(table('openai', 'text-embeding-3-small'))).toEqual([
      '/etc/animus.toml:20: embeddings.model: expected an embedding model that openai has, or one that animus.toml describes, ' +
        'got "text-embeding-3-small" (did you mean text-embedding-3-small?)',
    ]);
    expect(of(table('openai', 'text-embedding-3-small'))).toEqual([]);
    expect(of(table('gateway', 'text-embeding-3-small'))).toEqual([]);
    expect(of(table('local', 'nomic'))).toEqual([]);
    const described = `${table('openai', 'new')}[models."openai/new"]\ncontext_window = 2048\n`;
    expect(of(described)).toEqual([]);
    expect(of(PROVIDERS)).toEqual([]);
  });
});

describe('a daemon', () => {
  const pg = testDatabase();

  test('says it once in its log when it starts', async () => {
    const engage = '[faculty.engage]\nmodel = "play/x"\nfallback_models = ["claude-sonet-4-5"]\nsystem_prompt = "p"\n';
    const daemon = await startTestDaemon({
      databaseUrl: pg.connectionString,
      script: '[[answer]]\ntext = "Done."\n',
      files: { 'faculties/worker.toml': `[faculty]\nname = "worker"\n${engage}` },
    });
    const lines = daemon.lines.filter((line) => line.includes('claude-sonet-4-5'));
    expect(lines).toEqual([
      expect.stringMatching(/^warn a model is not known: .*\(did you mean claude-sonnet-4-5\?\)/),
    ]);
  });
});
