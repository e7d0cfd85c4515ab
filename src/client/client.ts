/** What `import … from 'animus/client'` gives a program: the HTTP API as typed methods. docs/client.md shows it at work. */

import { addressesOf } from './addresses.ts';
import type { Api } from './api/api.ts';
import { API_ROUTES } from './api/routes.ts';
import { type Connection, callRoute } from './call.ts';
import type { ClientOptions } from './options.ts';
import type { RouteRow } from './route-row.ts';
import { createSend } from './send.ts';
import { openSocket, type Socket, type SocketOptions } from './socket/open-socket.ts';
import { type Following, following } from './submit-and-follow.ts';
import { type Waiting, waiting } from './wait.ts';

export { type AnswerText, answerTexts } from './answer-texts.ts';
export type * from './api/api.ts';
export { ApiError, type ClientErrorCode } from './api-error.ts';
export { type Attachment, attachment } from './attachment.ts';
export type { List, Page } from './list.ts';
export type {
  CallOptions,
  ClientOptions,
  EventOptions,
  RawOptions,
  WebSocketClass,
  WebSocketLike,
} from './options.ts';
export type { Socket, SocketOptions } from './socket/open-socket.ts';
export type { Following } from './submit-and-follow.ts';
export type { WaitOptions } from './wait.ts';

/** A method for each route, by group (`client.work.submit`), methods that wait, and a WebSocket. */
export interface Client extends Api, Waiting, Following {
  /** A WebSocket for many subscriptions and for commands. It connects with the first of them, and stays open until it is closed. */
  openSocket(options?: SocketOptions): Socket;
}

/**
 * Makes a client. It opens no connection and keeps none open but those of its calls.
 *
 * A call is sent again after a connection fault, 429, 502, 503 and 504, to the next address if there are several. POST, PUT, PATCH and DELETE carry an Idempotency-Key, so a repetition has no
 * second effect and gets the first answer. Errors: `ApiError`; the reason of a signal that aborts.
 */
export function createClient(options: ClientOptions): Client {
  const addresses = addressesOf(options.baseUrl);
  const connection: Connection = { addresses, send: createSend(options, addresses) };
  const groups = Object.entries(API_ROUTES).map(([group, rows]) => [group, methodsOf(connection, rows)]);
  const api = Object.fromEntries(groups) as unknown as Api;
  return {
    ...api,
    ...waiting(api),
    ...following(connection),
    openSocket: (given) => openSocket(connection, options, given),
  };
}

function methodsOf(connection: Connection, rows: Readonly<Record<string, RouteRow>>) {
  const methods = Object.entries(rows).map(([name, row]) => [
    name,
    (...args: readonly unknown[]) => callRoute(connection, row, args),
  ]);
  return Object.fromEntries(methods) as Record<string, unknown>;
}
