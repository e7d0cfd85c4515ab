import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client may go on sending a body that nobody reads: clients that send all of it first would otherwise not see their answer. */
const MOST_MS = 500;

/** Reads and forgets what is left of the body of a request that was answered, for half a second; then the connection is closed. */
export function forgetRest(incoming: IncomingMessage, response: ServerResponse): void {
  if (incoming.complete) return;
  response.once('finish', () => {
    if (incoming.complete) return;
    const timer = setTimeout(() => incoming.socket.destroySoon(), MOST_MS);
    incoming.once('close', () => clearTimeout(timer));
    incoming.resume();
  });
}
