import { afterEach, describe, expect, test } from 'vitest';
import { examineKeys } from '../../../../src/cli/doctor/site/keys.ts';
import { examineProvider, providerQuestion } from '../../../../src/cli/doctor/site/provider.ts';
import { readConfig } from '../../../../src/core/config/read-config.ts';
import type { Environment } from '../../../../src/core/config/source/environment.ts';
import { startAnthropicServer, text } from '../../../support/model-server/anthropic.ts';
import { azureGate, bedrockGate, vertexGate } from '../../../support/model-server/clouds.ts';
import { startOllamaServer } from '../../../support/model-server/ollama.ts';
import { startOpenAiServer } from '../../../support/model-server/openai.ts';
import { type ModelServer, startServer } from '../../../support/model-server/server.ts';

const opened: (() => Promise<void>)[] = [];
const NEVER = new AbortController().signal;

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

async function kept(starting: Promise<ModelServer>): Promise<string> {
  const server = await starting;
  opened.push(server.close);
  return server.url;
}

/** The finding of the doctor about `p/MODEL`, with a table for `p`. */
async function finding(table: string, model: string, env: Environment = {}) {
  const readSecretFile = () => ({ ok: false, detail: 'none' }) as const;
  const config = readConfig({
    env,
    toml: { path: '/etc/animus.toml', text: `[providers.p]\n${table}` },
    userHome: '/home/ada',
    cwd: '/',
    readSecretFile,
  });
  const [found] = await examineProvider(providerQuestion(`p/${model}`, config, []), config, NEVER);
  return found;
}

const AWS = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-west-1' };
const LOGIN = { region: 'eu-west-1', accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: null };
const PLACE = { project: 'my', location: 'global' };
const OK = { content: [text('ok')] };

describe('the doctor tells apart, for each kind', () => {
  test('azure', async () => {
    const url = await kept(startOpenAiServer([{ text: 'ok' }], {}, azureGate({ key: 'right' }, '2024-10-21')));
    const table = `kind = "azure"\nbase_url = "${url}"\napi_version = "2024-10-21"\napi_key_env = "AZ"`;
    expect(await finding(table, 'prod', { AZ: 'right' })).toMatchObject({ state: 'ok' });
    expect(await finding(table, 'prod', { AZ: 'wrong' })).toMatchObject({
      detail: expect.stringMatching(/^login at fault: credentials: HTTP 401/),
      remedy: 'check the key in AZ',
    });
    expect(await finding(table, 'missing', { AZ: 'right' })).toMatchObject({
      detail: expect.stringMatching(/^model at fault: model_not_found/),
      remedy: expect.stringContaining('the name of its deployment'),
    });
    expect(await finding(table.replace('2024', '2023'), 'prod', { AZ: 'right' })).toMatchObject({
      detail: expect.stringMatching(/^address at fault: connection: HTTP 404/),
      remedy: expect.stringContaining('not at this path'),
    });
  });

  test('bedrock', async () => {
    const programme = (body: Record<string, unknown>) =>
      body['model'] === 'claude-x' ? { status: 400, message: 'The provided model identifier is invalid.' } : OK;
    const url = await kept(
      startAnthropicServer(
        programme,
        bedrockGate(() => LOGIN),
      ),
    );
    const table = `kind = "bedrock"\nbase_url = "${url}"`;
    expect(await finding(table, 'claude-y', AWS)).toMatchObject({ state: 'ok' });
    expect(await finding(table, 'claude-y', { ...AWS, AWS_SECRET_ACCESS_KEY: 'wrong' })).toMatchObject({
      detail: expect.stringMatching(/^login at fault: credentials: HTTP 403/),
      remedy: expect.stringContaining('check AWS_ACCESS_KEY_ID'),
    });
    expect(await finding(table, 'claude-y', { AWS_REGION: 'eu-west-1' })).toMatchObject({
      detail: expect.stringMatching(/^login at fault: credentials: no AWS keys/),
      remedy: expect.stringContaining('set AWS_ACCESS_KEY_ID'),
    });
    expect(await finding(table, 'claude-x', AWS)).toMatchObject({
      detail: expect.stringMatching(/^model at fault/),
      remedy: expect.stringContaining('inference profile'),
    });
  });

  test('vertex, with a command that fails and one that works', async () => {
    const url = await kept(
      startAnthropicServer(
        [OK],
        vertexGate(() => 'token-1', PLACE),
      ),
    );
    const table = (script: string) =>
      `kind = "vertex"\nbase_url = "${url}"\nproject = "my"\nlocation = "global"\ncredentials = { command = ["sh", "-c", "${script}"] }`;
    expect(await finding(table('echo token-1'), 'claude-opus-4-6')).toMatchObject({ state: 'ok' });
    expect(await finding(table('echo Please log in >&2; exit 3'), 'claude-opus-4-6')).toMatchObject({
      detail: 'login at fault: credentials: the credentials command sh exited with 3: Please log in',
      remedy: 'run its command yourself: sh -c echo Please log in >&2; exit 3',
    });
    expect(await finding(table('echo token-2'), 'claude-opus-4-6')).toMatchObject({
      detail: expect.stringMatching(/^login at fault: credentials: HTTP 401/),
    });
  });

  test('ollama', async () => {
    const url = await kept(startOllamaServer([{ text: 'ok' }]));
    const table = `kind = "ollama"\nbase_url = "${url}"`;
    expect(await finding(table, 'qwen3:8b')).toMatchObject({ state: 'ok' });
    expect(await finding(table, 'qwen9')).toMatchObject({
      state: 'note',
      remedy: expect.stringContaining('ollama pull'),
    });
  });
});

const openai = (baseUrl: string, more = '') => `kind = "openai"\nbase_url = "${baseUrl}"\n${more}`;

describe('of the network, the doctor tells apart', () => {
  test.each([
    ['an unknown name', openai('http://no-such-host.invalid/v1'), /DNS/],
    ['nobody there', openai('http://127.0.0.1:1/v1'), /check base_url of p, and the connection to it/],
    [
      'a proxy that is not there',
      openai('https://127.0.0.1:1/v1', 'proxy = "http://127.0.0.1:1"'),
      /its proxy|the proxy of p/,
    ],
  ])('%s', async (_, table, remedy) => {
    expect(await finding(table, 'm')).toMatchObject({
      detail: expect.stringMatching(/^network at fault: connection/),
      remedy: expect.stringMatching(remedy),
    });
  });

  test('a proxy that refuses the login', async () => {
    const proxy = await kept(startServer(() => ({ status: 407, parts: [] })));
    expect(await finding(openai('http://127.0.0.1:1/v1', `proxy = "${proxy}"`), 'm')).toMatchObject({
      remedy: expect.stringContaining('check the proxy of p, with its user and password'),
    });
  });

  test('a server of another kind', async () => {
    const url = await kept(startServer(() => ({ status: 200, parts: ['<html>welcome</html>'] })));
    expect(await finding(openai(url), 'm')).toMatchObject({
      detail: expect.stringMatching(/^provider at fault: protocol/),
      remedy: expect.stringContaining('it does not speak openai'),
    });
  });
});

describe('of a status, the doctor says what it means', () => {
  const KINDS = [
    ['openai', (url: string) => `kind = "openai"\nbase_url = "${url}/v1"`],
    ['anthropic', (url: string) => `kind = "anthropic"\nbase_url = "${url}"`],
    ['ollama', (url: string) => `kind = "ollama"\nbase_url = "${url}"`],
  ] as const;
  const STATUSES = [
    [301, /^address at fault: connection: .*redirects/, /redirects requests to another address/],
    [401, /^login at fault: credentials: HTTP 401/, /key/],
    [403, /^login at fault: credentials: HTTP 403/, /key/],
    [404, /^address at fault: connection: HTTP 404/, /not at this path/],
    [405, /^address at fault: connection: HTTP 405/, /not at this path/],
    [413, /^request at fault: context_overflow: HTTP 413/, null],
    [429, /^provider at fault: rate_limit: HTTP 429/, /busy/],
    [500, /^provider at fault: overloaded: HTTP 500/, /busy/],
    [501, /^address at fault: connection: HTTP 501/, /does not support this request/],
    [505, /^address at fault: connection: HTTP 505/, /does not support this request/],
    [511, /^address at fault: connection: HTTP 511/, /requires a login/],
    [529, /^provider at fault: overloaded: HTTP 529/, /busy/],
  ] as const;

  test.each(
    KINDS.flatMap(([kind, table]) => STATUSES.map(([status, ...said]) => [kind, status, table, ...said] as const)),
  )('%s, %i', async (_, status, table, detail, remedy) => {
    const url = await kept(startServer(() => ({ status, parts: ['<html>no</html>'] })));
    expect(await finding(table(url), 'm')).toMatchObject({
      state: 'problem',
      detail: expect.stringMatching(detail),
      remedy: remedy === null ? null : expect.stringMatching(remedy),
    });
  });

  test('a list of models that is not supported is not a problem if the model answers', async () => {
    const answers = await kept(startOpenAiServer([{ text: 'ok' }]));
    const url = await kept(
      startServer(async ({ method, body }) => {
        if (method === 'GET') return { status: 501, parts: ['no list'] };
        const answer = await fetch(`${answers}/v1/chat/completions`, {
          method,
          headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
          body: body.toString(),
        });
        const type = answer.headers.get('content-type') ?? '';
        return { status: answer.status, headers: { 'content-type': type }, parts: [await answer.text()] };
      }),
    );
    expect(await finding(openai(`${url}/v1`), 'gpt-mock')).toMatchObject({ state: 'ok' });
  });
});

test('without a call, the doctor says which logins are set', () => {
  const text = `
    [providers.aws]
    kind = "bedrock"
    region = "r"
    [providers.google]
    kind = "vertex"
    project = "p"
    location = "l"
    credentials = { command = ["gcloud"] }
    [providers.gw]
    kind = "openai"
    header_env = { x-portal-key = "UNSET" }`;
  const readSecretFile = () => ({ ok: false, detail: 'none' }) as const;
  const sources = { toml: { path: '/etc/animus.toml', text }, userHome: '/home/ada', cwd: '/', readSecretFile };
  const keys = (env: Environment) => {
    const faculties = new Map(
      ['aws', 'google', 'gw'].map((name) => [
        name,
        { name, engage: { mode: 'builtin', model: `${name}/m`, fallbackModels: [], tools: [] } } as never,
      ]),
    );
    return examineKeys({ faculties }, readConfig({ ...sources, env })).map(({ state, detail }) => [state, detail]);
  };
  expect(keys(AWS)).toEqual([
    ['ok', 'AWS access keys; try it: animus doctor --provider aws'],
    ['ok', 'printed by gcloud; try it: animus doctor --provider google'],
    ['note', 'no value for the headers x-portal-key'],
  ]);
  expect(keys({})[0]).toEqual(['note', 'aws needs a login']);
});
