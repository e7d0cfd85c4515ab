/** Settings of a session on which results depend: each connection of ours sets them, whatever server, database and role say. Also reads the times that such sessions write. */
import { type ClientBase, type QueryConfig, TypeOverrides, types } from 'pg';
import { AnimusError } from '../../core/errors/errors.ts';

/**
 * A parameter that the server does not know is left out. `DateStyle` keeps the order of day and month in what people write. `session_replication_role`,
 * which lets no trigger run on `replica`, is set below: a login that may not is refused, because without triggers it would damage work.
 */
const FIXED: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'read committed',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  quote_all_identifiers: 'off',
  transform_null_equals: 'off',
  row_security: 'on',
  restrict_nonsystem_relation_kind: '',
  check_function_bodies: 'on',
  gin_fuzzy_search_limit: '0',
  exit_on_error: 'off',
};

/** The least time-outs with which animus works, in milliseconds. A shorter one of the connection string counts nevertheless. */
export const LEAST_TIMEOUT_MS = {
  lock_timeout: 10_000,
  statement_timeout: 300_000,
  transaction_timeout: 300_000,
  idle_in_transaction_session_timeout: 30_000,
  // The connection that listens is used every 15 s, a connection of the pool is closed after 10 s without use.
  idle_session_timeout: 60_000,
} as const;

/** The settings that a connection of ours changes. */
export const SETTLED: readonly string[] = [...Object.keys(FIXED), ...Object.keys(LEAST_TIMEOUT_MS)];

/** What a connection of ours sets it to; null if that depends on what it was. */
export const settledValue = (name: string): string | null => FIXED[name] ?? null;

const rows = (table: Readonly<Record<string, string | number>>): string =>
  Object.entries(table)
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ');

/**
 * One text, so one round trip. It begins a transaction: on a standby no statement runs in a serializable one. The path comes first: if an application has put
 * its schema before pg_catalog, its functions would stand for those of Postgres. Without pg_catalog in it, pg_catalog is searched first. Everything is set, also
 * what is so already: a server whose configuration is read again must not change it.
 */
const SETTLE = `begin isolation level read committed;
select pg_catalog.set_config('search_path', pg_catalog.array_to_string(array(
         select pg_catalog.quote_ident(s.name) from pg_catalog.unnest(pg_catalog.current_schemas(false)) s (name) where s.name operator(pg_catalog.<>) 'pg_catalog'), ', '), false)
 where 'pg_catalog' operator(pg_catalog.=) any (pg_catalog.current_schemas(false));
select set_config(s.name, s.value, false) from (values ${rows(FIXED)}) s (name, value) where current_setting(s.name, true) is not null;
select set_config('session_replication_role', 'origin', false) where current_setting('session_replication_role') = 'replica';
select set_config(p.name, t.least, false) from pg_settings p join (values ${rows(LEAST_TIMEOUT_MS)}) t (name, least) on t.name = p.name
 where '0' <> any (array[${Object.keys(LEAST_TIMEOUT_MS)
   .map((name) => `coalesce(current_setting('${name}', true), '0')`)
   .join(', ')}])
   and case when t.name is not null and p.unit = 'ms' then p.setting::bigint between 1 and t.least::bigint - 1 end and p.source <> 'client';
commit`;

/** Settles a new connection. Behind a transaction pooler this reaches one connection of the server and may not last. Errors: those of the driver. */
export async function settleSession(client: ClientBase, withinMs: number): Promise<void> {
  await client.query({ text: SETTLE, query_timeout: withinMs } as QueryConfig);
}

/** The first and the last time that RFC 3339 can write: the API promises `date-time`, whose years have four digits. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** How DateStyle ISO and IntervalStyle postgres write; the driver misreads what other styles write, without an error. */
const TIME = /^(-?infinity|\d{4,}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?([+-]\d\d(:\d\d){0,2})?)?( BC)?)$/;
const INTERVAL = /^(?=.)([+-]?\d+ (year|mon|day)s? ?)*([+-]?\d\d+:\d\d:\d\d(\.\d+)?)?$/;

/**
 * node-postgres's types, but a timestamp is always a Date of the years 0 to 9999. `infinity`, `-infinity` and other years, which anybody who may submit work
 * can write, become the last or the first of them: one such row must not make a list that contains it unreadable. A text of another style fails the
 * statement (`refusedTime`): our sessions have the styles above, but behind a transaction pooler a session may have others.
 */
export const TYPES = new TypeOverrides();
read(types.builtins.TIMESTAMP, TIME, nearestDate);
read(types.builtins.TIMESTAMPTZ, TIME, nearestDate);
read(types.builtins.DATE, TIME, (_, parsed) => parsed);
read(types.builtins.INTERVAL, INTERVAL, (_, parsed) => parsed);

type TypeId = Parameters<typeof types.getTypeParser>[0];

function read(id: TypeId, style: RegExp, valueOf: (text: string, parsed: unknown) => unknown): void {
  const parse: (text: string) => unknown = types.getTypeParser(id);
  TYPES.setTypeParser(id, (text: string) => {
    if (!style.test(text)) throw new UnreadableTime(text);
    return valueOf(text, parse(text));
  });
}

function nearestDate(text: string, parsed: unknown): Date {
  const ms = parsed instanceof Date ? parsed.getTime() : Number.NaN;
  if (Number.isNaN(ms)) return new Date(text.startsWith('-') || text.endsWith('BC') ? FIRST_MS : LAST_MS);
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS));
}

class UnreadableTime extends Error {}

/** `db.refused` if the statement failed because a time in its answer was of another style; what it did stays done. Undefined for other errors. */
export function refusedTime(error: unknown, where: string): AnimusError | undefined {
  if (!(error instanceof UnreadableTime)) return undefined;
  const detail = `it writes times as ${JSON.stringify(error.message)}, which animus does not read`;
  const hint = `; if there is a pooler in between, set for the login: alter role … in database … set DateStyle = 'ISO', and set IntervalStyle = 'postgres'`;
  return new AnimusError('db.refused', { where, detail, hint }, { cause: error });
}
