/** MCP over the standard streams of a process under the supervisor: one JSON message per line. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { LaunchedProcess } from '../../process/process-host.ts';
import { createMessageGuard, MAX_MESSAGE_BYTES, MESSAGE_LIMIT, UnreadAnswers } from './message-guard.ts';
import { createPace } from './pace.ts';

/** A transport that knows why it ended. */
export interface EndingTransport extends Transport {
  /** Why it ended, for people; null while it works. */
  ended(): string | null;
  /** The same, unless it was closed by this side. */
  failure(): string | null;
}

/** Lines that are not messages, after which a server is stopped. */
const MAX_NOISE_LINES = 1000;
const STDERR_CHARS = 500;
/** How long a server may take to end when its input ends. */
const GOODBYE_MS = 300;

/** `parse` throws for what is not a JSON-RPC message. */
export function stdioTransport(server: LaunchedProcess, parse: (message: unknown) => JSONRPCMessage): EndingTransport {
  const guard = createMessageGuard();
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
    const bound = guard.bound(line);
    if ('problem' in bound) return end(bound.problem);
    let message: JSONRPCMessage;
    try {
      message = parse(JSON.parse(bound.text));
    } catch {
      // Many servers print a banner.
      if (++noise > MAX_NOISE_LINES) end(`it printed ${MAX_NOISE_LINES} lines that are not messages`);
      return;
    }
    if (guard.takes(message)) transport.onmessage?.(message);
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
        const before = performance.now();
        take(line.toString());
        await pace(line.length, performance.now() - before);
        if (closed) return;
      }
      begun.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > MAX_MESSAGE_BYTES) return end(MESSAGE_LIMIT);
    }
  };

  const listen = async (): Promise<void> => {
    const pace = createPace();
    for await (const text of server.stderr.setEncoding('utf8') as AsyncIterable<string>) {
      stderr = (stderr + text).slice(-STDERR_CHARS);
      await pace(text.length, 0);
    }
  };

  const transport: EndingTransport = {
    ended: () => failed ?? (closed ? 'it was stopped' : null),
    failure: () => failed,
    async start() {
      void listen().catch(() => {});
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
      const write = () =>
        new Promise<void>((resolve, reject) => {
          stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
        });
      await guard.sends(message, write).catch(async (error: unknown) => {
        if (error instanceof UnreadAnswers) end(error.message);
        // A process that could not be started, or has just ended, says why a moment later.
        await Promise.race([over.promise, sleep(2 * GOODBYE_MS, undefined, { ref: false })]);
        throw error;
      });
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
