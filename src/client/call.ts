/** A method of the client: makes a request from its arguments, and its result from the answer. */

import type { Addresses } from './addresses.ts';
import { ApiError } from './api-error.ts';
import { followEvents } from './follow-events.ts';
import { listOf, type Page } from './list.ts';
import type { CallOptions, EventOptions, RawOptions } from './options.ts';
import { readJson } from './read-answer.ts';
import { isEventId } from './read-events.ts';
import type { RouteRow } from './route-row.ts';
import type { Outgoing, Send } from './send.ts';

type Input = Readonly<Record<string, unknown>>;

/** What the methods of a client share. */
export interface Connection {
  readonly addresses: Addresses;
  readonly send: Send;
}

/** Calls a route: the parameters of its path, then its input if it takes one, then options. */
export function callRoute(connection: Connection, row: RouteRow, args: readonly unknown[]): unknown {
  const names = row.path.match(/\{\w+\}/g) ?? [];
  const input = ((row.input ? args[names.length] : undefined) ?? {}) as Input;
  const options = args[names.length + (row.input ? 1 : 0)] ?? {};
  const route = { ...row, path: fill(row.path, args) };
  switch (row.kind) {
    case 'json':
      return callJson(connection, route, input, options);
    case 'list':
      return listOf((after) => {
        const asked = after === undefined ? input : { ...input, after };
        return callJson<Page<unknown>>(connection, route, asked, options);
      });
    case 'stream':
      return connection.send(outgoing(route, input, options), options, (response) => response);
    case 'events':
      return callEvents(connection, route, input, options);
    case 'raw':
      return callRaw(connection, route, options);
  }
}

async function callJson<Result>(
  connection: Connection,
  row: RouteRow,
  input: Input,
  options: CallOptions,
): Promise<Result> {
  return connection.send(outgoing(row, input, options), options, (response) => readJson(response) as Promise<Result>);
}

function callEvents(connection: Connection, row: RouteRow, input: Input, options: EventOptions) {
  const { addresses, send } = connection;
  const begin = options.after === undefined ? input : { ...input, after: options.after };
  return followEvents((last, signal) => {
    const headers = { ...EVENTS, ...(last !== null && { 'last-event-id': last }) };
    const asked = { ...row, query: ['after', ...(row.query ?? [])] };
    const request = outgoing(asked, last === null ? begin : input, { headers });
    return send(request, { signal, retries: addresses.count - 1 }, (response, root) => ({
      response,
      leave: () => addresses.leave(root),
    }));
  }, options);
}

export const EVENTS = { accept: 'text/event-stream' };

/** The answer as it is: the one that it is passed on to reads on by itself. */
async function callRaw({ send }: Connection, row: RouteRow, { after, ...options }: RawOptions): Promise<Response> {
  if (after !== undefined && !isEventId(after)) {
    throw new ApiError('client.invalid', 'after is not the id of an event');
  }
  const headers = { ...options.headers, ...EVENTS, ...(after !== undefined && { 'last-event-id': after }) };
  return send(outgoing(row, {}, { headers }), options, (response) => response);
}

function outgoing(row: RouteRow, input: Input, options: CallOptions): Outgoing {
  const { method, path, query = [], body, kind } = row;
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const asked = new URLSearchParams(
    given.filter(([name]) => query.includes(name)).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const search = asked.size > 0 ? `?${asked.toString()}` : '';
  return {
    method,
    path: path + search,
    headers: {
      ...options.headers,
      ...(method !== 'GET' && { 'idempotency-key': options.idempotencyKey ?? newKey() }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(Object.fromEntries(given.filter(([name]) => !query.includes(name)))) }),
    unsafe: method !== 'GET' && kind !== 'json',
  };
}

/** The path with its parameters in place. `..` would lead to another path, however it is escaped. Errors: `client.invalid`. */
function fill(path: string, args: readonly unknown[]): string {
  let next = 0;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const given = args[next++];
    const value = typeof given === 'number' ? String(given) : given;
    if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
    throw new ApiError('client.invalid', `${name} is not a text that a path can contain`);
  });
}

export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
