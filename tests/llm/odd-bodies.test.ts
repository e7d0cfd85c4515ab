/** Bodies that are not answers, from every wire: pages of proxies are tried again, what a server sends each time is not. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import type { Reply } from '../support/model-server/server.ts';
import { call, failed } from './llm-call.ts';
import { connect, serveRaw } from './served-llm.ts';

const KINDS = ['anthropic', 'openai', 'responses', 'ollama'] as const;
const PAGE =
  '<!DOCTYPE html>\n<html>\n<head><title>502</title></head>\n<body>upstream is\nnot available</body>\n</html>\n';
const DEEP = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`;

function settings(kind: (typeof KINDS)[number]): Partial<HttpProviderSettings> {
  return kind === 'responses' ? { kind: 'openai', wire: 'responses' } : { kind };
}

function reply(status: number, type: string, body: string | Buffer, more: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': type, ...more }, parts: [body] };
}

describe.each(KINDS)('%s', (kind) => {
  test.each<[string, Reply, string, number, RegExp]>([
    ['a page of a proxy', reply(200, 'text/html', PAGE), 'protocol', 3, /HTML page/],
    ['a page in one line', reply(200, 'text/html', PAGE.replaceAll('\n', '')), 'protocol', 3, /HTML page/],
    ['a page with another type', reply(200, 'application/json', PAGE), 'protocol', 3, /HTML page/],
    ['a page with an error', reply(502, 'text/html', PAGE), 'overloaded', 3, /502/],
    ['plain text', reply(200, 'text/plain', 'upstream is\nnot available\n'), 'protocol', 3, /upstream is not/],
    ['nothing', reply(200, 'application/json', ''), 'connection', 3, /empty|ended/],
    ['undeclared gzip', reply(200, 'application/json', gzipSync('{"a":1}')), 'protocol', 1, /compressed/],
    [
      'declared gzip',
      reply(200, 'application/json', gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }),
      'protocol',
      1,
      /compressed/,
    ],
    ['deep JSON', reply(200, 'application/json', DEEP), 'protocol', 1, /levels/],
    ['deep JSON in lines', reply(200, 'application/json', `${DEEP}\n`), 'protocol', 1, /levels/],
    ['a deep event', reply(200, 'text/event-stream', `data: ${DEEP}\n\n`), 'protocol', 1, /levels/],
  ])('%s', async (_, answer, expected, attempts, message) => {
    const { url } = await serveRaw(answer);
    const llm = connect(url, { ...settings(kind), retry: { maxAttempts: 3 } }, {});
    const failure = failed(await call(llm));
    expect(failure).toMatchObject({ kind: expected, attempts, message: expect.stringMatching(message) });
  });
});
