/** A proxy before a server that loses answers and cuts streams, each once. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface BadConnection {
  readonly url: string;
  /** How many answers were lost and streams were cut. */
  readonly faults: { lost: number; cut: number };
}

/** Of each request that changes something, the first answer is lost. Of each stream of events, the first connection breaks in the middle of its third event. */
export async function openBadConnection(port: number): Promise<BadConnection> {
  const seen = new Set<string>();
  const faults = { lost: 0, cut: 0 };
  const isFirst = (key: string) => seen.size < seen.add(key).size;
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const forwarded = send({ host: '127.0.0.1', port, method, path, headers }, (answer) =>
      pass(request, answer, response),
    );
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });

  function pass({ method, url = '' }: IncomingMessage, answer: IncomingMessage, response: ServerResponse): void {
    const isFirstOfPath = isFirst(`${method} ${url}`);
    if (method !== 'GET' && isFirstOfPath) {
      faults.lost++;
      // Only when all of it has come: its effect is committed.
      answer.on('end', () => response.destroy()).resume();
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    answer.on('error', () => response.destroy());
    if (!url.endsWith('/events') || !isFirstOfPath) return void answer.pipe(response);
    let sent = '';
    answer.setEncoding('latin1').on('data', (text: string) => {
      sent += text;
      const third = [...sent.matchAll(/^id: .*\n/gm)][2];
      if (!third) return void response.write(text, 'latin1');
      faults.cut++;
      response.write(
        sent.slice(sent.length - text.length, Math.max(sent.length - text.length, third.index + 20)),
        'latin1',
        () => response.destroy(),
      );
      answer.destroy();
    });
    answer.on('end', () => response.end());
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`, faults };
}
