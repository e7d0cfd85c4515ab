import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FORMATS, WIRES } from './wires.ts';

/**
 * The server of the benchmark, in a separate process so that its CPU time is not the client's. The path selects the format, and
 * the model's name is the number of text deltas to stream; the bytes of an answer are created once. Prints its port.
 */
const answers = new Map<string, Buffer>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const wire = WIRES.find((each) => FORMATS[each].path === request.url) ?? 'anthropic';
    const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answerOf(wire, Number(model)));
  });
});

function answerOf(wire: (typeof WIRES)[number], deltas: number): Buffer {
  const known = answers.get(`${wire} ${deltas}`);
  if (known) return known;
  // Twelve characters per delta, as models stream them: mostly framing.
  const made = Buffer.from(FORMATS[wire].stream('some tokens '.repeat(deltas)));
  answers.set(`${wire} ${deltas}`, made);
  return made;
}

// The bare client does not retry, so no connection may be closed while it is in use.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.on('disconnect', () => process.exit(0));
