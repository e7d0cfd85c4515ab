import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLogins } from '../../../src/llm/providers/logins.ts';
import type { Credential } from '../../../src/llm/transport/login.ts';
import { type Fault, isFault } from '../../../src/llm/wire/fault.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { startAnthropicServer, text } from '../../support/model-server/anthropic.ts';
import { bedrockGate, vertexGate } from '../../support/model-server/clouds.ts';
import { startServer } from '../../support/model-server/server.ts';
import { instantClock } from '../instant-clock.ts';
import { answered, call, failed, llmOf } from '../llm-call.ts';

const processes = createProcessHost();
const NEVER = new AbortController().signal;
const opened: (() => Promise<void>)[] = [];
let directory = '';

beforeAll(() => processes.start());
afterAll(() => processes.stop());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'login-'));
});
afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
  rmSync(directory, { recursive: true });
});

/** A command that counts its runs in a file and prints what `print` holds then. */
function command(print: string, script = '') {
  const path = join(directory, 'login.sh');
  writeFileSync(join(directory, 'print'), print);
  writeFileSync(path, `#!/bin/sh\necho run >> "${directory}/runs"\n${script || `cat "${directory}/print"`}\n`, {
    mode: 0o755,
  });
  return { command: [path], directory, env: { PATH: process.env['PATH'] ?? '' }, refreshMs: 900_000, timeoutMs: 5000 };
}

const prints = (what: string) => writeFileSync(join(directory, 'print'), what);
const runs = () => readFileSync(join(directory, 'runs'), 'utf8').trim().split('\n').length;
const keyOf = (taken: Credential | Fault) => (isFault(taken) ? `fault: ${taken.message}` : taken.key);

function login(settings: ReturnType<typeof command>, clock = instantClock()) {
  return createLogins(clock, processes).of({
    kind: 'vertex',
    baseUrl: 'http://h',
    apiKey: null,
    credentials: settings,
  });
}

describe('a credential by command', () => {
  test('is asked for once by calls at the same time, and by providers with the same command', async () => {
    const settings = command('token-1\n', `cat "${directory}/print"`);
    const logins = createLogins(instantClock(), processes);
    const [one, two] = ['a', 'b'].map((name) =>
      logins.of({ kind: 'vertex', baseUrl: `http://${name}`, apiKey: null, credentials: settings }),
    );
    const taken = await Promise.all([one, two, one, two].map(async (each) => each?.current(NEVER)));
    expect(taken.map((each) => each && keyOf(each))).toEqual(['token-1', 'token-1', 'token-1', 'token-1']);
    expect(runs()).toBe(1);
  });

  test('is renewed before it expires, and after refresh_seconds if it names no expiry', async () => {
    const clock = instantClock();
    const expires = new Date(clock.nowMs() + 3_600_000).toISOString();
    const taken = login(command(JSON.stringify({ access_token: 'a', expires_at: expires })), clock);
    expect(keyOf(await taken.current(NEVER))).toBe('a');
    prints('b');
    await clock.sleep(3_600_000 - 130_000);
    expect(keyOf(await taken.current(NEVER))).toBe('a');
    await clock.sleep(20_000);
    expect(keyOf(await taken.current(NEVER))).toBe('b');
    prints('c');
    await clock.sleep(899_000);
    expect(keyOf(await taken.current(NEVER))).toBe('b');
    await clock.sleep(2000);
    expect(keyOf(await taken.current(NEVER))).toBe('c');
    expect(runs()).toBe(3);
  });

  test('is used on while it is valid if the command fails, and not after that', async () => {
    const clock = instantClock();
    const taken = login(command(JSON.stringify({ token: 'a', expires_in: 3600 })), clock);
    await taken.current(NEVER);
    prints('');
    await clock.sleep(3_550_000);
    expect(keyOf(await taken.current(NEVER))).toBe('a');
    await clock.sleep(60_000);
    expect(keyOf(await taken.current(NEVER))).toMatch(/fault: the credentials command .* printed nothing/);
  });

  test('an aborted call does not wait for it, and does not end it for others', async () => {
    const release = join(directory, 'release');
    const taken = login(command('slow', `until [ -e "${release}" ]; do sleep 0.02; done; echo slow-token`));
    const controller = new AbortController();
    const [aborted, other] = [taken.current(controller.signal), taken.current(NEVER)];
    controller.abort();
    expect(await aborted).toMatchObject({ kind: 'aborted' });
    writeFileSync(release, '');
    expect(keyOf(await other)).toBe('slow-token');
  });
});

describe('a failing command', () => {
  test.each([
    [
      'exits',
      'echo secret-on-stdout; echo "first" >&2; echo "Please run: az login" >&2; exit 7',
      /exited with 7: Please run: az login$/,
    ],
    ['says a secret on stderr', 'echo "Bearer abcdefgh12345678" >&2; exit 1', /exited with 1: Bearer \[secret\]$/],
    ['prints a page of text', 'echo "secret-on-stdout you are not logged in"', /contains spaces/],
    ['prints JSON without a token', 'echo \'{"user":"secret-on-stdout"}\'', /JSON without a token/],
    [
      'prints an expired token',
      'echo \'{"token":"secret-on-stdout","expires_at":"2020-01-01T00:00:00Z"}\'',
      /has expired/,
    ],
    ['does not end', 'sleep 60', /did not finish within 0.2 s/],
  ])('%s: a fault of the credentials, without its output', async (_, script, message) => {
    const settings = { ...command('', script), ...(script === 'sleep 60' && { timeoutMs: 200 }) };
    const taken = await login(settings).current(NEVER);
    expect(taken).toMatchObject({ kind: 'credentials', retryable: false, message: expect.stringMatching(message) });
    expect(JSON.stringify(taken)).not.toContain('secret-on-stdout');
  });

  test('is missing', async () => {
    const settings = { ...command(''), command: ['no-such-cloud-cli', 'token'] };
    expect(await login(settings).current(NEVER)).toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining('no-such-cloud-cli could not be run'),
    });
  });
});

describe('a call', () => {
  test('that two calls are refused with is renewed once, and both go on with the new one', async () => {
    const clock = instantClock();
    const settings = command('token-1\n');
    const vertex = login(settings, clock);
    const old = (await vertex.current(NEVER)) as Credential;
    await clock.sleep(60_000);
    prints('token-2\n');
    expect(vertex.refused(old)).toBe(true);
    const first = vertex.current(NEVER);
    // The command is running.
    expect(vertex.refused(old)).toBe(true);
    expect((await Promise.all([first, vertex.current(NEVER)])).map(keyOf)).toEqual(['token-2', 'token-2']);
    // An answer to a call with the refused one may still quote it.
    expect(vertex.secrets()).toEqual(['token-2', 'token-1']);
    expect(runs()).toBe(2);
  });

  test('whose token is refused is made once more with a new one, and never shows either', async () => {
    const clock = instantClock();
    let valid = 'token-one-1';
    const server = await startAnthropicServer(
      [{ content: [text('hi')] }],
      vertexGate(() => valid, PLACE),
    );
    opened.push(server.close);
    const credentials = command('token-one-1');
    const llm = llmOf(
      { kind: 'vertex', baseUrl: server.url, apiKey: null, cloud: PLACE, credentials },
      { processes, clock },
    );
    opened.push(() => llm.stop());
    answered(await call(llm, { model: 'claude-opus-4-6' }));
    valid = 'token-two-2';
    prints('token-two-2');
    await clock.sleep(60_000);
    expect(answered(await call(llm, { model: 'claude-opus-4-6' })).attempts).toBe(1);
    expect(server.requests.map(({ refused }) => refused !== null)).toEqual([false, true, false]);
    expect(runs()).toBe(2);
    // A new one that is refused as well is not asked for again and again.
    valid = 'nobody has this';
    expect(failed(await call(llm, { model: 'claude-opus-4-6' }))).toMatchObject({ kind: 'credentials' });
    expect(runs()).toBe(2);
    await clock.sleep(60_000);
    const failure = failed(await call(llm, { model: 'claude-opus-4-6' }));
    expect(runs()).toBe(3);
    expect(JSON.stringify(failure)).not.toMatch(/token-(one|two)/);
  });

  test('shows no token that the provider quotes, the one before included', async () => {
    const clock = instantClock();
    const quoted = 'token-one-1 or token-two-2 is wrong';
    const server = await startServer(() => ({ status: 400, parts: [JSON.stringify({ error: { message: quoted } })] }));
    opened.push(server.close);
    const settings = {
      kind: 'openai',
      baseUrl: server.url,
      apiKey: null,
      credentials: command('token-one-1'),
    } as const;
    const llm = llmOf(settings, { processes, clock });
    opened.push(() => llm.stop());
    await call(llm);
    prints('token-two-2');
    await clock.sleep(1_000_000);
    expect(failed(await call(llm)).message).toContain('*** or *** is wrong');
  });

  test('to Bedrock is signed with the keys that AWS’s command line prints', async () => {
    const keys = {
      Version: 1,
      AccessKeyId: 'ASIA1',
      SecretAccessKey: 'secret/key',
      SessionToken: 'session',
      Expiration: '2099-01-01T00:00:00Z',
    };
    const known = { region: 'us-east-1', accessKeyId: 'ASIA1', secretAccessKey: 'secret/key', sessionToken: 'session' };
    const server = await startAnthropicServer(
      [{ content: [text('hi')] }],
      bedrockGate(() => known),
    );
    opened.push(server.close);
    const credentials = command(JSON.stringify(keys));
    const llm = llmOf(
      { kind: 'bedrock', baseUrl: server.url, apiKey: null, cloud: { region: 'us-east-1' }, credentials },
      { processes },
    );
    opened.push(() => llm.stop());
    answered(await call(llm, { model: 'anthropic.claude-haiku-4-5-20251001-v1:0' }));
  });
});

const PLACE = { project: 'p', location: 'global' };
