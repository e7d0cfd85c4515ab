import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicEvents, sse } from '../../support/model-server/anthropic.ts';

/**
 * The server of the benchmark, in a separate process so that its CPU time is not the client's. `max_tokens` is the number of
 * text deltas to stream; the bytes of an answer are created once. Prints its port.
 */
const answers = new Map<number, Buffer>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { max_tokens: deltas } = JSON.parse(Buffer.concat(chunks).toString()) as { max_tokens: number };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answerOf(deltas));
  });
});

function answerOf(deltas: number): Buffer {
  const known = answers.get(deltas);
  if (known) return known;
  // Twelve characters per delta, as models stream them: mostly framing.
  const content = [{ type: 'text', text: 'some tokens '.repeat(deltas) }];
  const events = anthropicEvents({
    id: 'm',
    model: 'bench',
    content,
    stop_reason: 'end_turn',
    usage: { output_tokens: deltas },
  });
  const made = Buffer.from(events.map(sse).join(''));
  answers.set(deltas, made);
  return made;
}

// The bare client does not retry, so no connection may be closed while it is in use.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.on('disconnect', () => process.exit(0));
