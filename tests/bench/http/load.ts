/**
 * A process that sends requests and does as little else as it can, because it shares the machine with the server. It answers each line on its input,
 * a `Load` as JSON, with a `Loaded`.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface Load {
  /** What stands before the path of each request. */
  readonly url: string;
  readonly requests: readonly LoadRequest[];
  /** Each sends its next request when it has the answer to the one before. */
  readonly connections: number;
  readonly seconds: number;
  /** How long it waits in between; default 0. */
  readonly pauseMs?: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  readonly person: string;
  readonly body?: object | undefined;
}

export interface Loaded {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How often each status other than success came. */
  readonly failed: Readonly<Record<string, number>>;
}

createInterface({ input: process.stdin })
  .on('line', (line) => void answer(line))
  // Whoever started it has ended.
  .on('close', () => process.exit(0));
process.stdout.write('ready\n');

async function answer(line: string): Promise<void> {
  process.stdout.write(`${JSON.stringify(await load(JSON.parse(line) as Load))}\n`);
}

async function load({ url, requests, connections, seconds, pauseMs = 0 }: Load): Promise<Loaded> {
  const texts = requests.map((request) => textOf(new URL(url), request));
  const times: number[] = [];
  const failed: Record<string, number> = {};
  let next = 0;
  const begunMs = performance.now();
  const untilMs = begunMs + 1000 * seconds;
  const one = async (n: number) => {
    const connection = await open(url);
    // Not all at once, where they pause.
    if (pauseMs > 0) await pause((pauseMs * n) / connections);
    while (performance.now() < untilMs) {
      const sentMs = performance.now();
      const status = await connection.send(texts[next++ % texts.length]!);
      times.push(performance.now() - sentMs);
      if (status >= 300) failed[status] = (failed[status] ?? 0) + 1;
      if (pauseMs > 0) await pause(pauseMs);
    }
    connection.socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => one(n)));
  const tookMs = performance.now() - begunMs;
  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.floor(share * (times.length - 1))] ?? Number.NaN;
  return { perSecond: (1000 * times.length) / tookMs, p50Ms: quantile(0.5), p99Ms: quantile(0.99), failed };
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

function textOf({ host, pathname }: URL, { method, path, token, person, body }: LoadRequest): string {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const about =
    body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(sent)}\r\n`;
  const root = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  return `${method} ${root}${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\nx-person: ${person}\r\n${about}\r\n${sent}`;
}

interface Connection {
  readonly socket: Socket;
  /** The status of the answer, once all of it is here. */
  send(text: string): Promise<number>;
}

async function open(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1');
  await new Promise<void>((done, fail) => socket.once('connect', done).once('error', fail));
  let seen = '';
  let waiting: PromiseWithResolvers<number> | null = null;
  const lost = (error?: Error) => waiting?.reject(error ?? new Error('the server closed a connection'));
  socket.on('error', lost).on('close', () => lost());
  socket.on('data', (piece: string) => {
    seen += piece;
    if (!isWhole(seen)) return;
    const status = Number(seen.slice(9, 12));
    seen = '';
    waiting?.resolve(status);
  });
  return {
    socket,
    send(text) {
      waiting = Promise.withResolvers();
      socket.write(text);
      return waiting.promise;
    },
  };
}

/** Whether an answer has come with all of its body. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, head))?.[1];
  return length === undefined ? answer.endsWith('\r\n0\r\n\r\n') : answer.length >= head + 4 + Number(length);
}
