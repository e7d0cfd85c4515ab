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

/** Records what is given to the response. */
function recordSent(
  response: ServerResponse,
): () => { readonly contentType: string | undefined; readonly body: Buffer } {
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
  return () => ({
    contentType: headers.get('content-type') ?? response.getHeader('content-type')?.toString(),
    body: Buffer.concat(chunks),
  });
}
