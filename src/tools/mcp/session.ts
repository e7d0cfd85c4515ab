/** One connection to an MCP server, from its start to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Sdk from '@modelcontextprotocol/client';
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { count } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import { CONNECTION_ENDED } from './http-transport.ts';
import { ANY_RESULT, listDefinitions, type ServerTools } from './list-tools.ts';
import type { McpSettings } from './mcp-settings.ts';
import { type OpenedTransport, openTransport, type ServerPlace } from './open-transport.ts';

/** An open connection. */
export interface Session {
  /** Why it ended, for people; null while it lasts. */
  ended(): string | null;
  /** What the server offers now; asked again after it said that its list has changed. */
  tools(signal: AbortSignal): Promise<ServerTools>;
  call(name: string, input: unknown, timeoutMs: number, signal: AbortSignal): Promise<CallEnd>;
  /** Replaces the secrets that the server was given. */
  mask(text: string): string;
  /** Ends the server's process, or the session at a URL. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** How a call ended. `lost`: the server does not know the session, and nothing happened. `cut_off`: nobody knows whether it happened. */
export type CallEnd =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  /** `pin`: the tool is not as it was pinned. */
  | { readonly kind: 'refused'; readonly why: string; readonly boundary?: 'pin' }
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'cut_off'; readonly why: string };

/** Why there is no connection. `host`: the host could not start a process, which is not the server's fault. */
export interface NoSession {
  readonly problem: string;
  readonly host: boolean;
}

/** Starts the server and reads its tools. Rejects only with the reason of the signal. */
export async function openSession(
  server: McpServer,
  place: ServerPlace,
  settings: Pick<McpSettings, 'version' | 'variable'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Session | NoSession> {
  const { faculty } = place;
  const attributes = { 'work.id': place.workItemId, 'work.faculty': faculty, 'mcp.server': server.name };
  return span('mcp.start', attributes, async (starting) => {
    const opened = await connect(server, place, settings, timeoutMs, signal);
    if ('problem' in opened) starting.fail('mcp.start');
    count('work.mcp.starts', 1, { faculty, server: server.name, result: 'problem' in opened ? 'failed' : 'started' });
    return opened;
  });
}

async function connect(
  server: McpServer,
  place: ServerPlace,
  settings: Pick<McpSettings, 'version' | 'variable'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Session | NoSession> {
  // 40 ms and a tenth of a megabyte that only those who use it pay.
  const sdk: typeof Sdk = await import('@modelcontextprotocol/client');
  const opened = await openTransport(sdk, server, place, settings, signal);
  if ('problem' in opened) return { ...opened, host: false };
  const client = new sdk.Client(
    { name: 'animus', version: settings.version },
    // It offers the server nothing: no sampling, no questions to people, no directories.
    { capabilities: {}, jsonSchemaValidator: UNCHECKED },
  );
  let stale = false;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    stale = true;
  });
  const ask = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
  try {
    await client.connect(opened.transport, ask);
    let known = await listDefinitions(client, ask);
    return {
      ...sessionOf(sdk, client, opened),
      async tools(asking) {
        if (!stale) return known;
        stale = false;
        known = await listDefinitions(client, { ...ask, signal: asking });
        return known;
      },
    };
  } catch (error) {
    const why = opened.transport.failure() ?? messageOf(error);
    await opened.transport.close().catch(() => {});
    signal.throwIfAborted();
    const host = (await opened.exited)?.ended === 'unavailable';
    return { problem: reasonOf(why, opened.mask), host };
  }
}

/** An error may be as long as a message, and is for a model, a person and a log. */
const MAX_REASON_CHARS = 2000;

function reasonOf(why: string, mask: (text: string) => string): string {
  const masked = mask(why);
  return masked.length <= MAX_REASON_CHARS ? masked : `${masked.slice(0, MAX_REASON_CHARS).toWellFormed()} […]`;
}

function sessionOf(sdk: typeof Sdk, client: Sdk.Client, { transport, mask }: OpenedTransport): Omit<Session, 'tools'> {
  const whyOf = (error: unknown): string => reasonOf(transport.failure() ?? messageOf(error), mask);
  return {
    mask,
    ended: () => transport.ended(),
    async call(name, input, timeoutMs, signal) {
      // The SDK tells the server that a call is cancelled, and after its time-out.
      const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal, onprogress: () => {} };
      try {
        const params = { name, arguments: input };
        const result = await client.request({ method: 'tools/call', params }, ANY_RESULT, options);
        return { kind: 'result', result };
      } catch (error) {
        signal.throwIfAborted();
        const why = whyOf(error);
        if (error instanceof sdk.ProtocolError)
          return { kind: error.code === CONNECTION_ENDED ? 'cut_off' : 'refused', why };
        if (wasRefused(sdk, error, REFUSED)) return { kind: 'refused', why };
        const late = isTimeout(sdk, error);
        // A server that was started again knows no session of the one before: the next call begins a new one.
        if (!late || !(await answers(client))) await transport.close().catch(() => {});
        if (wasRefused(sdk, error, SESSION_LOST)) return { kind: 'lost', why };
        if (!late) return { kind: 'cut_off', why };
        return { kind: 'cut_off', why: `it did not answer within ${secondsOf(timeoutMs)} s, and was told to stop` };
      }
    },
    close: () => transport.close().catch(() => {}),
  };
}

function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/** How long a server that did not answer a call has to answer a ping; otherwise it is stopped. */
const PING_MS = 1000;

async function answers(client: Sdk.Client): Promise<boolean> {
  const ping = client.ping({ timeout: PING_MS }).then(
    () => true,
    () => false,
  );
  // A frozen process takes no input either.
  return Promise.race([ping, sleep(PING_MS + 100, false, { ref: false })]);
}

function isTimeout(sdk: typeof Sdk, error: unknown): boolean {
  return error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.RequestTimeout;
}

/** HTTP statuses of a request that was not taken. */
const REFUSED = [401, 403, 405, 413, 429];
/** The specification says 404; servers say 400, too. */
const SESSION_LOST = [400, 404];

function wasRefused(sdk: typeof Sdk, error: unknown, statuses: readonly number[]): boolean {
  if (error instanceof sdk.UnauthorizedError) return statuses.includes(401);
  return error instanceof sdk.SdkHttpError && statuses.includes(error.status ?? 0);
}

/** Compiling a server's schemas would run its regular expressions. animus checks inputs itself and does not need schemas of outputs. */
const UNCHECKED: Sdk.jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};
