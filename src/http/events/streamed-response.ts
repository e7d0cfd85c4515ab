import type { ServerResponse } from 'node:http';

/** A response whose body is written to Node's response directly: streams of the web cost more than the rest of a reader. */
export class StreamedResponse extends Response {
  /** Writes the body, after the head was written. Resolves when the response has ended, or the client has left; never rejects. */
  readonly send: (response: ServerResponse) => Promise<void>;

  constructor(send: (response: ServerResponse) => Promise<void>) {
    // Proxies must neither keep nor compress it: both would hold events back.
    super(null, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      },
    });
    this.send = send;
  }
}

/** Writes the head and the body of a streamed response. Returns false, and does nothing, if it is not one. */
export function sendStreamed(answer: Response, response: ServerResponse): boolean {
  if (!(answer instanceof StreamedResponse)) return false;
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  void answer.send(response);
  return true;
}
