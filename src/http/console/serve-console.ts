/** Answers requests for the page of the console and its files, at `/` and below. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { checkHost, type GateRules } from '../door/gate.ts';
import type { Coding, ConsoleFile, ConsoleFiles } from './console-files.ts';
import { CONSOLE_HEADERS, SHARED_HEADERS } from './console-headers.ts';

export interface ConsoleOptions {
  readonly settings: GateRules;
  /** Returns the files; asked when the first request comes, and again some seconds after a failure. */
  readonly load: () => Promise<ConsoleFiles>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** After a failure, requests get the same answer for so long: strangers must not make the server try again and again. */
const AGAIN_MS = 10_000;

/** False: there is nothing at the path, and nothing was sent. */
export type AnswerPage = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** Never rejects. */
export function serveConsole({ settings, load, log, now = Date.now }: ConsoleOptions): AnswerPage {
  let loading: Promise<ConsoleFiles> | null = null;
  let failed: { readonly at: number; readonly text: string } | null = null;

  async function files(): Promise<ConsoleFiles | string> {
    if (failed !== null && now() - failed.at < AGAIN_MS) return failed.text;
    try {
      return await (loading ??= load());
    } catch (error) {
      loading = null;
      // What is wrong with the files of the server is for its log, unless it says what to do.
      const text = isAnimusError(error, 'http.no_console')
        ? error.message
        : 'the console cannot be shown; the log of the server says why';
      failed = { at: now(), text };
      log.error({ err: error }, 'the console cannot be served; trying again when somebody asks for it');
      return text;
    }
  }

  return async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0]!;
    const found = await files();
    if (typeof found === 'string') {
      if (path !== '/') return false;
      sendText(response, 503, found, { 'retry-after': String(AGAIN_MS / 1000) });
      return true;
    }
    const file = found.get(path);
    if (file === undefined) return false;
    const refusal = refusalOf(request, settings);
    if (refusal !== null) sendText(response, refusal.status, refusal.text, refusal.headers);
    else await send(request, response, file);
    return true;
  };
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusalOf({ method, headers }: IncomingMessage, settings: GateRules): Refusal | null {
  try {
    checkHost(headers.host, settings);
  } catch (error) {
    return { status: 421, text: messageOf(error) };
  }
  if (method === 'GET' || method === 'HEAD') return null;
  return { status: 405, text: 'only GET and HEAD', headers: { allow: 'GET, HEAD' } };
}

async function send(request: IncomingMessage, response: ServerResponse, file: ConsoleFile): Promise<void> {
  const coding = file.compressible ? codingFor(request.headers['accept-encoding']) : 'identity';
  const etag = `"${file.digest}-${coding}"`;
  const headers = {
    ...CONSOLE_HEADERS,
    ...(file.shared && SHARED_HEADERS),
    etag,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(file.compressible && { vary: 'accept-encoding' }),
  };
  if (namesTag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const content = await file.content(coding);
  response.writeHead(200, {
    ...headers,
    'content-type': file.type,
    'content-length': content.length,
    ...(coding !== 'identity' && { 'content-encoding': coding }),
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}

/** The best coding that a client takes. */
function codingFor(accepted: string | undefined): Coding {
  const taken = (accepted ?? '')
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]!.trim().toLowerCase());
  return (['br', 'gzip'] as const).find((coding) => taken.includes(coding)) ?? 'identity';
}

/** A proxy may have made a tag a weak one. */
function namesTag(header: string | undefined, etag: string): boolean {
  const named = (header ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return named.includes(etag) || named.includes('*');
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...CONSOLE_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(`${text}\n`);
}
