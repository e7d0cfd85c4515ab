/** What `import … from 'animus/client'` gives a program: the HTTP API as typed methods. docs/client.md shows it at work. */
import type { Api } from './api/api.ts';
import { API_ROUTES } from './api/routes.ts';
import { apiRoot, type Connection, callRoute } from './call.ts';
import type { ClientOptions } from './options.ts';
import type { RouteRow } from './route-row.ts';
import { createSend } from './send.ts';
import { type Waiting, waiting } from './wait.ts';

export type * from './api/api.ts';
export { ApiError, type ClientErrorCode } from './api-error.ts';
export { type Attachment, attachment } from './attachment.ts';
export type { List, Page } from './list.ts';
export type { CallOptions, ClientOptions, EventOptions } from './options.ts';
export type { WaitOptions } from './wait.ts';

/** A method for each route, by group (`client.work.submit`), and methods that wait. */
export type Client = Api & Waiting;

/**
 * Makes a client. It opens no connection and keeps none open but those of its calls.
 *
 * A call is sent again after a connection fault, 429, 502, 503 and 504. POST, PUT, PATCH and DELETE carry an Idempotency-Key, so a repetition has no
 * second effect and gets the first answer. Errors: `ApiError`; the reason of a signal that aborts.
 */
export function createClient(options: ClientOptions): Client {
  const connection: Connection = { root: apiRoot(options.baseUrl), send: createSend(options) };
  const groups = Object.entries(API_ROUTES).map(([group, rows]) => [group, methodsOf(connection, rows)]);
  const api = Object.fromEntries(groups) as unknown as Api;
  return { ...api, ...waiting(api) };
}

function methodsOf(connection: Connection, rows: Readonly<Record<string, RouteRow>>) {
  const methods = Object.entries(rows).map(([name, row]) => [
    name,
    (...args: readonly unknown[]) => callRoute(connection, row, args),
  ]);
  return Object.fromEntries(methods) as Record<string, unknown>;
}
