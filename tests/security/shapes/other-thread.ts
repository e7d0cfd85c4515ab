/** The other end of a connection, in a thread of its own: what it computes is not counted. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface OtherThread {
  /** Hands over what `send` and `serve` give out: before the clock starts. */
  prepare(parts: readonly (string | Uint8Array)[]): Promise<void>;
  /** Connects to a port, writes the parts, and returns what came back when the other end closes or has said `until`. */
  send(port: number, until: string): Promise<string>;
  /** Starts an HTTP server that answers each request with the parts. Returns its port. */
  serve(contentType: string): Promise<number>;
  end(): Promise<void>;
}

const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const net = require('node:net');
const http = require('node:http');
let parts = [];
parentPort.on('message', (message) => {
  const reply = (value) => parentPort.postMessage(value);
  if (message.prepare) { parts = message.prepare.map((part) => Buffer.from(part)); reply(null); }
  if (message.send) {
    let heard = '';
    const socket = net.connect(message.send, '127.0.0.1');
    const over = () => { socket.destroy(); reply(heard); };
    socket.on('data', (data) => { heard += data.toString('latin1'); if (heard.includes(message.until)) over(); });
    socket.on('close', () => reply(heard)).on('error', () => undefined);
    for (const part of parts) socket.write(part);
  }
  if (message.serve) {
    const server = http.createServer((request, response) => {
      request.resume();
      response.on('error', () => undefined);
      response.writeHead(200, { 'content-type': message.serve });
      for (const part of parts) response.write(part);
      response.end();
    });
    server.listen(0, '127.0.0.1', () => reply(server.address().port));
  }
});
`;

export function otherThread(): OtherThread {
  const worker = new Worker(PROGRAM, { eval: true });
  const ask = async (message: object): Promise<unknown> => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows, not of threads
    worker.postMessage(message);
    const [answer] = (await once(worker, 'message')) as [unknown];
    return answer;
  };
  return {
    prepare: async (parts) => void (await ask({ prepare: parts })),
    send: async (port, until) => String(await ask({ send: port, until })),
    serve: async (contentType) => Number(await ask({ serve: contentType })),
    end: async () => void (await worker.terminate()),
  };
}
