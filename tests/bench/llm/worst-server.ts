/** The hostile server of the benchmark, a process of its own: `/WIRE/STREAM/…` answers with that stream. Prints its port. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WORST_STREAMS, type WorstStream, type WorstStreamName } from './worst-streams.ts';

const server = createServer((request, response) => {
  request.resume();
  const [, wire, name = ''] = (request.url ?? '').split('/');
  const stream: WorstStream = WORST_STREAMS[decodeURIComponent(name) as WorstStreamName];
  send(stream.pieces(wire as 'anthropic' | 'openai'), stream, response).catch((error: unknown) => {
    throw error;
  });
});

/** At the speed of the reader, and no longer than it listens. */
async function send(pieces: Iterable<string | Buffer>, { status, headers }: WorstStream, response: ServerResponse) {
  const closed = once(response, 'close');
  response.writeHead(status ?? 200, headers);
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.on('disconnect', () => process.exit(0));
