import { describe, expect, test } from 'vitest';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { keyLogin, maskOf } from '../../../src/llm/transport/login.ts';
import { maskTexts } from '../../../src/llm/transport/mask.ts';
import type { Reply } from '../../support/model-server/server.ts';
import { answered, call, failed } from '../llm-call.ts';
import { connect, HI, ONCE, serve, serveRaw } from '../served-llm.ts';

test('secrets are masked whatever characters they have', () => {
  const secrets = ['a+b(c[d]{e}f)*g?h', '.^$|\\', 'x/y-z\n"'];
  const mask = maskTexts(secrets);
  expect(mask(`1 ${secrets.join(' 2 ')} 3`)).toBe('1 *** 2 *** 2 *** 3');
  expect(mask('aab(cd)g')).toBe('aab(cd)g');
});

test('the secrets of a login are masked as they are at the moment', () => {
  let secrets = ['first/secret'];
  const settings = { apiKey: null, baseUrl: new URL('http://127.0.0.1'), headers: {} };
  const mask = maskOf({ ...settings, login: { ...keyLogin(null), secrets: () => secrets } });
  expect(mask('first/secret first%2Fsecret second')).toBe('*** *** second');
  secrets = ['first/secret', 'second'];
  expect(mask('first/secret first%2Fsecret second')).toBe('*** *** ***');
  secrets = [];
  expect(mask('first/secret')).toBe('first/secret');
});

describe('secrets', () => {
  test('a redirect is not followed, and nothing goes to the other host', async () => {
    const other = await serve([HI]);
    const location = `${other.url}/v1/messages?token=sesame`;
    const server = await serveRaw({ status: 307, headers: { location }, parts: [] });
    const failure = failed(await call(connect(server.url)));
    expect(failure).toMatchObject({ kind: 'connection', attempts: 1, httpStatus: 307 });
    expect(failure.message).toContain(`redirects to ${other.url}/v1/messages; redirects are not followed`);
    expect(failure.message).not.toContain('sesame');
    expect(other.requests).toHaveLength(0);
  });

  test('user, password and query of a base URL work and are never shown', async () => {
    const server = await serveRaw({ status: 500, parts: ['wrong: robot p%40ss p@ss cm9ib3Q6cEBzcw== topsecret'] });
    const url = new URL(server.url);
    url.username = 'robot';
    url.password = 'p@ss';
    url.search = '?code=topsecret';
    const failure = failed(await call(connect(url.href, { ...ONCE, apiKey: null })));
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages?code=topsecret',
      headers: { authorization: `Basic ${Buffer.from('robot:p@ss').toString('base64')}` },
    });
    expect(failure.message).toBe('HTTP 500: wrong: *** *** *** *** ***');
  });

  describe('are masked before a text is cut', () => {
    // Of a cut key, no mask would recognise the rest.
    const KEY = `tok.${'0123456789abcdef'.repeat(4)}`;
    const leaks = (text: string) => /0123456789/.test(text);

    async function failure(reply: Reply, settings: Partial<HttpProviderSettings> = {}) {
      const server = await serveRaw(reply);
      return failed(await call(connect(server.url, { ...ONCE, apiKey: KEY, ...settings })));
    }
    const at = (chars: number) => `${'x '.repeat(chars / 2)}${KEY}`;

    test.each([
      ['the body of an error', { status: 400, parts: [at(280)] }],
      ['a message of an error', { status: 400, parts: [JSON.stringify({ error: { message: at(580) } })] }],
      ['a body that is not an answer', { status: 200, parts: [at(280)] }],
      ['an event that is not JSON', { status: 200, parts: [`data: ${at(180)}\n\n`] }],
      [
        'an error in the stream',
        { status: 200, parts: [`data: {"type":"error","error":{"message":"${at(560)}"}}\n\n`] },
      ],
      [
        'an error body longer than what is read',
        { status: 400, parts: [`${' '.repeat(64 * 1024 - 20)}${KEY}`.repeat(9)] },
      ],
      [
        'an event longer than what is quoted',
        { status: 200, parts: [`data: ${' '.repeat(64 * 1024 - 70)}${KEY}\n\n`] },
      ],
    ])('%s', async (_, reply) => {
      for (const kind of ['anthropic', 'openai'] as const) {
        const { message } = await failure(reply, { kind });
        expect(message.length).toBeLessThanOrEqual(600);
        expect(leaks(message)).toBe(false);
      }
    });

    test('request ids', async () => {
      const { requestId } = await failure({
        status: 400,
        headers: { 'request-id': `r${'x'.repeat(180)}${KEY}` },
        parts: [],
      });
      expect(requestId).toMatch(/^rx+\*\*\*$/);
    });

    test('configured headers, with and without their scheme, and as JSON writes them', async () => {
      const headers = { authorization: `Bearer ${KEY}`, 'x-gate': 'gate"way\\pass' };
      const body = JSON.stringify({ error: { type: 'x', message: `no: ${KEY}` }, gate: headers['x-gate'] });
      const settings = { apiKey: null, headers };
      const { message } = await failure({ status: 400, parts: [body.slice(1)] }, settings);
      expect(message).toContain('no: ***');
      expect(message).toContain('"gate":"***"');
      // What says nothing about who sends stays readable.
      const plain = await failure(
        { status: 400, parts: ['application/json'] },
        { headers: { accept: 'application/json' } },
      );
      expect(plain.message).toContain('application/json');
    });

    test('what embeddings are answered', async () => {
      const server = await serveRaw({ status: 200, parts: [at(180)] });
      const llm = connect(server.url, { ...ONCE, kind: 'openai', apiKey: KEY });
      const result = await llm
        .embedder({ provider: 'p', model: 'm', dimensions: 2 })
        .embed(['a'], AbortSignal.timeout(20_000));
      expect(result).toMatchObject({ ok: false, failure: { kind: 'protocol' } });
      expect(leaks(JSON.stringify(result))).toBe(false);
    });
  });

  test('a key that HTTP cannot carry is a failure of the credentials, without the key', async () => {
    const failure = failed(await call(connect('http://127.0.0.1:9', { apiKey: 'secret\nkey' })));
    expect(failure).toMatchObject({ kind: 'credentials', attempts: 1 });
    expect(failure.message).not.toContain('secret');
  });

  test('a user or password with a broken percent-encoding is refused without repeating it', () => {
    expect(() => connect('http://robot:%zz@host')).toThrow(/^provider p: base_url is not an http or https URL$/);
  });

  test('a base URL that cannot be used is refused without repeating it', () => {
    expect(() => connect('ftp://robot:sesame@host')).toThrow(/^provider p: base_url is not an http or https URL$/);
  });

  test('a base URL with or without /v1 is the same for Anthropic', async () => {
    const server = await serve([HI]);
    answered(await call(connect(`${server.url}/v1/`)));
    expect(server.requests[0]?.path).toBe('/v1/messages');
  });

  test('a long message is one line of at most 600 characters', async () => {
    const server = await serve([{ status: 400, message: `line\n${'👋 '.repeat(2000)}` }]);
    const { message } = failed(await call(connect(server.url)));
    expect(message.length).toBeLessThanOrEqual(600);
    expect(message).not.toContain('\n');
    expect(message.isWellFormed()).toBe(true);
  });
});
