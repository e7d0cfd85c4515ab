/** A server whose answers a test writes. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/client/client.ts';

export interface FakeServer {
  readonly url: string;
  /** What was asked, in order. */
  readonly requests: readonly FakeRequest[];
  /** A client of it. */
  readonly client: Client;
}

interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request; the last one answers all that follow. */
export type FakeAnswer = (response: ServerResponse, request: FakeRequest) => void;

/** Starts it until the test has finished. */
export async function startFakeServer(
  answers: readonly FakeAnswer[],
  options: Partial<ClientOptions> = {},
): Promise<FakeServer> {
  const requests: FakeRequest[] = [];
  const server = createServer((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await request.toArray();
    const taken = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks as Buffer[]).toString(),
    };
    requests.push(taken);
    (answers[requests.length - 1] ?? answers.at(-1)!)(response, taken);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, client: createClient({ baseUrl: url, token: 'the-token', ...options }) };
}

/** Answers with JSON. */
export const json = (body: unknown, status = 200): FakeAnswer => {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Answers with a problem document. */
export const problem = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): FakeAnswer => {
  const body = {
    type: `urn:animus:error:${code}`,
    title: 'x',
    status,
    detail: `it is ${code}`,
    code,
    retryable: false,
  };
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', 'x-request-id': 'request-1', ...headers })
      .end(JSON.stringify(body));
};

/** Breaks the connection without an answer. */
export const breaks: FakeAnswer = (response) => void response.destroy();

/** Answers with these pieces of an event stream, and ends it; `open` leaves it open, `cut` breaks the connection. */
export const stream = (pieces: readonly string[], then: 'end' | 'open' | 'cut' = 'end'): FakeAnswer => {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 5\n\n${pieces.join('')}`, () => {
      if (then === 'end') response.end();
      else if (then === 'cut') response.destroy();
    });
  };
};

/** A recorded event of a stream. */
export const event = (id: string, type = 'text') =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, id })}\n\n`;

/** All of it. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
