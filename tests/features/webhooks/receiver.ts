/** A receiver of webhooks on a loopback address, which checks signatures on its own and answers as a test wants. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly event: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
  /** Whether a signature fits the secret. */
  readonly verified: boolean;
  readonly signatures: number;
}

export type Answer = (request: Received, response: ServerResponse, index: number) => void | Promise<void>;

export interface WebhookReceiver {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** With which signatures are checked. */
  secret: string;
  answer: Answer;
}

/** Starts one; it is closed after the test. It accepts everything at first. */
export async function webhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    secret: '',
    answer: (_request, response) => void response.writeHead(204).end(),
  };

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const header = (name: string) => String(request.headers[name] ?? '');
    const id = header('webhook-id');
    const signed = `${id}.${header('webhook-timestamp')}.${body}`;
    const wanted = `v1,${createHmac('sha256', Buffer.from(receiver.secret.replace('whsec_', ''), 'base64'))
      .update(signed)
      .digest('base64')}`;
    const given = header('webhook-signature').split(' ');
    const verified =
      given.some((one) => one.length === wanted.length && timingSafeEqual(Buffer.from(one), Buffer.from(wanted))) &&
      Math.abs(Date.now() / 1000 - Number(header('webhook-timestamp'))) < 60;
    const one = { id, body, event: JSON.parse(body) as Received['event'], verified, signatures: given.length };
    receiver.received.push(one);
    await receiver.answer(one, response, receiver.received.length);
  }
  return receiver;
}
