/** MCP over the standard streams of a process under the supervisor: one JSON message per line. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { LaunchedProcess } from '../../process/process-host.ts';
import { MAX_MESSAGE_BYTES, messageLimit } from './message-limit.ts';

/** A transport that knows why it ended. */
export interface EndingTransport extends Transport {
  /** Why it ended, for people; null while it works. */
  ended(): string | null;
  /** The same, unless it was closed by this side. */
  failure(): string | null;
}

/** Lines that are no messages, after which a server is stopped. */
const MAX_NOISE_LINES = 1000;
/** More than a server sends; a flood is read at this pace, so that the daemon has time for its other work. */
const MESSAGES_PER_SECOND = 2000;
const BYTES_PER_SECOND = 32 * 2 ** 20;
const STDERR_CHARS = 500;
/** How long a server may take to end when its input ends. */
const GOODBYE_MS = 300;

/** `parse` throws for what is no JSON-RPC message. */
export function stdioTransport(server: LaunchedProcess, parse: (message: unknown) => JSONRPCMessage): EndingTransport {
  let failed: string | null = null;
  let closed = false;
  let stderr = '';
  let noise = 0;
  const over = Promise.withResolvers<void>();

  const end = (why: string): void => {
    if (closed) return;
    closed = true;
    failed = why + (stderr.trim() === '' ? '' : `; it last wrote to stderr: ${stderr.trim()}`);
    over.resolve();
    void server.stop();
    transport.onclose?.();
  };

  const take = (line: string): void => {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parse(JSON.parse(line));
    } catch {
      // Many servers print a banner.
      if (++noise > MAX_NOISE_LINES) end(`it printed ${MAX_NOISE_LINES} lines that are no messages`);
      return;
    }
    transport.onmessage?.(message);
  };

  const read = async (): Promise<void> => {
    const pace = createPace();
    let begun: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of server.stdout as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...begun, chunk.subarray(from, at)]);
        begun = [];
        bytes = 0;
        from = at + 1;
        take(line.toString());
        await pace(line.length);
        if (closed) return;
      }
      begun.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > MAX_MESSAGE_BYTES) return end(messageLimit());
    }
  };

  const transport: EndingTransport = {
    ended: () => failed ?? (closed ? 'it was stopped' : null),
    failure: () => failed,
    async start() {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-STDERR_CHARS);
      });
      void read()
        .catch(() => {})
        .then(() => (closed ? null : Promise.race([server.exited, sleep(GOODBYE_MS, 'silent' as const)])))
        .then((how) => {
          if (how === 'silent') end('it closed its output');
          else if (how !== null) end(how.problem ?? `it ended (${how.signal ?? `exit code ${how.exitCode}`})`);
        });
    },
    async send(message) {
      const { stdin } = server;
      if (closed || stdin === null) throw new Error('the server has ended');
      const error = await new Promise<Error | null | undefined>((written) => {
        stdin.write(`${JSON.stringify(message)}\n`, written);
      });
      if (!error) return;
      // A process that could not be started, or has just ended, says why a moment later.
      await Promise.race([over.promise, sleep(2 * GOODBYE_MS, undefined, { ref: false })]);
      throw error;
    },
    async close() {
      if (closed) return;
      closed = true;
      server.stdin?.end();
      await Promise.race([server.exited, sleep(GOODBYE_MS, undefined, { ref: false })]);
      // Nobody waits for a server that takes its time: what is left is killed with the focus.
      await Promise.race([server.stop(), sleep(GOODBYE_MS, undefined, { ref: false })]);
      transport.onclose?.();
    },
  };
  return transport;
}

/** Waits for the next second after too many messages or bytes in this one. */
function createPace(): (bytes: number) => Promise<void> | void {
  let until = 0;
  let messages = 0;
  let total = 0;
  return (bytes) => {
    const now = performance.now();
    if (now >= until) [until, messages, total] = [now + 1000, 0, 0];
    total += bytes;
    if (++messages < MESSAGES_PER_SECOND && total < BYTES_PER_SECOND) return;
    return sleep(until - now, undefined, { ref: false });
  };
}
