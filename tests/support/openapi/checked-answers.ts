/** An API whose answers are compared with its OpenAPI document, whoever asks and however: what goes over the wire is checked. */
import type { ServerResponse } from 'node:http';
import type { HttpApi } from '../../../src/core/lifecycle/health.ts';
import type { Route } from '../../../src/http/route/route.ts';
import { answerCheck } from './documented-answer.ts';

export interface CheckedApi extends HttpApi {
  /** Throws if an answer was not as documented. */
  verify(): void;
}

/** `routes`: those of the API. Nothing is changed in its answers. */
export function checkedAnswers(api: HttpApi, routes: readonly Route[]): CheckedApi {
  const faults: string[] = [];
  const check = answerCheck(routes);
  return {
    ...api,
    answer(request, response, admitted) {
      const sent = recordSent(response);
      const { method = '', url = '' } = request;
      response.once('close', () => {
        const whole = response.writableFinished;
        // A client that left before the headers were sent got no answer.
        if (!response.headersSent) return;
        const found = check({ method, url, status: response.statusCode, whole, ...sent() });
        faults.push(...found.map((fault) => `${method} ${url} ${response.statusCode}: ${fault}`));
      });
      api.answer(request, response, admitted);
    },
    verify() {
      if (faults.length > 0) throw new Error(`answers that are not as documented:\n${[...new Set(faults)].join('\n')}`);
    },
  };
}

/** As much of a stream of events is compared. */
const MOST_RECORDED_BYTES = 262_144;

/** Records what is given to the response. Events go to the connection itself (`src/http/events/wire.ts`), so they are read from there. */
function recordSent(
  response: ServerResponse,
): () => { readonly contentType: string | undefined; readonly body: Buffer } {
  const onConnection = recordConnection(response);
  const chunks: Buffer[] = [];
  const headers = new Map<string, string>();
  const { writeHead, write, end } = response;
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  Object.assign(response, {
    writeHead(status: number, ...rest: unknown[]) {
      const given = rest.findLast((each) => typeof each === 'object') ?? {};
      const pairs = Array.isArray(given) ? given.flat() : Object.entries(given).flat();
      for (let n = 0; n + 1 < pairs.length; n += 2) headers.set(String(pairs[n]).toLowerCase(), String(pairs[n + 1]));
      return Reflect.apply(writeHead, response, [status, ...rest]) as ServerResponse;
    },
    write(...args: unknown[]) {
      keep(args[0]);
      return Reflect.apply(write, response, args) as boolean;
    },
    end(...args: unknown[]) {
      keep(args[0]);
      return Reflect.apply(end, response, args) as ServerResponse;
    },
  });
  return () => {
    const contentType = headers.get('content-type') ?? response.getHeader('content-type')?.toString();
    return {
      contentType,
      body: contentType?.startsWith('text/event-stream') ? bodyOf(onConnection()) : Buffer.concat(chunks),
    };
  };
}

function recordConnection(response: ServerResponse): () => Buffer {
  const { socket } = response;
  if (socket === null) return () => Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { write } = socket;
  const recording = (...args: unknown[]) => {
    const [chunk, encoding] = args;
    const given = typeof chunk === 'string' ? Buffer.from(chunk, encoding === 'latin1' ? encoding : 'utf8') : chunk;
    if (given instanceof Uint8Array && bytes < MOST_RECORDED_BYTES) {
      bytes += given.length;
      chunks.push(Buffer.from(given));
    }
    return Reflect.apply(write, socket, args) as boolean;
  };
  socket.write = recording;
  response.once('close', () => {
    if (socket.write === recording) socket.write = write;
  });
  return () => Buffer.concat(chunks);
}

/** The body of an answer in chunked transfer coding (RFC 9112, 7.1), as far as it was sent. */
function bodyOf(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = answer.indexOf('\r\n\r\n') + 4;
  while (at < answer.length) {
    const line = answer.indexOf('\r\n', at);
    if (line === -1) break;
    const length = Number.parseInt(answer.toString('latin1', at, line), 16);
    if (!(length > 0)) break;
    parts.push(answer.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
  return Buffer.concat(parts);
}
