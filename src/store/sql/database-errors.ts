/** Maps errors of the driver: failures of the connection and of our own SQL functions get animus codes, others pass unchanged. */
import { DatabaseError } from 'pg';
import type { ErrorDetails } from '../../core/errors/error-details.ts';
import type { ErrorCode } from '../../core/errors/error-table.ts';
import { AnimusError, errorOf, isAnimusError, messageOf } from '../../core/errors/errors.ts';

/**
 * SQLSTATEs raised by animus's SQL functions. DETAIL may carry a JSON object of error details (such as `{"id": …}`);
 * the message fills `{detail}` and `{reason}`, the hint `{hint?}`.
 */
const WORK_SQLSTATES: Readonly<Record<string, ErrorCode>> = {
  WA001: 'work.lease_lost',
  WA002: 'work.state',
  WA003: 'work.not_found',
  WA004: 'work.invalid',
  WA005: 'work.cancelled',
  WA006: 'work.budget',
  WA007: 'http.unauthorized',
  WA008: 'http.key_reused',
  // Not of class WA: what an older daemon does with class 57P is right for it, too (migrations/functions/01_foundations.sql).
  '57PA1': 'work.locked',
};

/** The error for a connection that could not be made. `usage` describes how full the pool is, in case the wait for a connection timed out. */
export function connectError(error: unknown, where: string, usage: string): AnimusError {
  const refused = refusalHint(error);
  const detail = messageOf(error);
  if (refused !== null) return new AnimusError('db.refused', { where, detail, hint: refused }, { cause: error });
  const waited = detail.startsWith('timeout exceeded when trying to connect') ? ` (${usage})` : '';
  const unusable = fullHint(error) ?? UNUSABLE[sqlState(error) ?? ''];
  const hint = unusable ?? (waited === '' ? '; check the address, and that the server is running' : '');
  return new AnimusError('db.unreachable', { where, detail: detail + waited, hint }, { cause: error });
}

/** The error for a statement that failed: a lost connection, one of our own SQLSTATEs, or the driver's error unchanged. */
export function statementError(error: unknown, where: string): unknown {
  const own = isDatabaseError(error) && WORK_SQLSTATES[error.code ?? ''];
  if (own) return errorOf(own, detailsOf(error), { cause: error });
  if (isConnectionLoss(error)) {
    const hint = UNUSABLE[sqlState(error) ?? ''] ?? '';
    return new AnimusError('db.unreachable', { where, detail: messageOf(error), hint }, { cause: error });
  }
  if (!isDatabaseError(error) || error.code === undefined) return error;
  return refusedStatement(error, error.code, where);
}

/** The server answers but refuses: the role lacks a permission, or, as after a failover, no role may write at the moment. */
function refusedStatement(error: DatabaseError, code: string, where: string): unknown {
  const detail = error.message;
  if (code === '42501') {
    const hint = `; ${error.hint ?? 'grant it one of the roles animus_submitter, animus_reader, animus_operator, animus_daemon, animus_gateway'}`;
    return new AnimusError('db.forbidden', { where, detail, hint }, { cause: error });
  }
  if (code === '55P03') return new AnimusError('work.locked', { detail: detail + TOO_LONG_LOCKED }, { cause: error });
  // By the server's function: 54000 is also said of rows that are too large.
  const hint = error.routine === 'PreCommit_Notify' ? NOTIFY_FULL : UNUSABLE[code];
  return hint === undefined ? error : new AnimusError('db.unreachable', { where, detail, hint }, { cause: error });
}

/** What to do if no connection is free. The server's function tells which limit is reached: its messages are translated, names in them are not. */
function fullHint(error: unknown): string | undefined {
  if (sqlState(error) !== '53300') return undefined;
  const [, name] = /"([^"]+)"/.exec(messageOf(error)) ?? [];
  const routine = isDatabaseError(error) ? error.routine : undefined;
  if (name !== undefined && routine === 'InitializeSessionUserId') return limitHint('role', name);
  if (name !== undefined && routine === 'CheckMyDatabase') return limitHint('database', name);
  return `; the server has no connections left: end some (select usename, count(*) from pg_stat_activity group by 1), raise max_connections of the server, or lower daemon.pool_size (${EACH_DAEMON})`;
}

const EACH_DAEMON = 'each daemon uses that many connections plus one';

const limitHint = (kind: 'role' | 'database', name: string) =>
  `; this is the limit of the ${kind}, not of the server: raise it (alter ${kind} ${quotedName(name)} connection limit NUMBER), or lower daemon.pool_size (${EACH_DAEMON})`;

/** A name as SQL writes it, in quotes only where it needs them. */
export function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

const longer = (setting: string) =>
  `; ${setting} is too short for animus: animus doctor says where it is set, and how to raise it (docs/operations.md, "Settings of the server")`;
const TOO_LONG_LOCKED =
  '; another transaction keeps it locked for longer than lock_timeout of the login allows: look in pg_stat_activity for a session that is idle in transaction';

/** A session that is made sets it, if it may; the server's words about the parameter are translated, its name is not. */
const NO_TRIGGERS =
  "; with session_replication_role = replica no trigger runs, and animus would damage its work: as a superuser, alter role … set session_replication_role = 'origin'";

const NOTIFY_FULL =
  '; a listening session keeps its transaction open, so the server cannot remove any notifications: look in pg_stat_activity for the oldest session that is idle in transaction, and end it';

/** An error that the statement did not cause: worth a retry when the server has recovered. */
const UNUSABLE: Readonly<Record<string, string>> = {
  '40001': '; another transaction changed the same rows, and this one was rolled back',
  '40P01': '; two transactions waited for each other, and this one was rolled back',
  '57014': `${longer('statement_timeout')}, or an administrator has cancelled the statement`,
  '25P03': longer('idle_in_transaction_session_timeout'),
  '25P04': longer('transaction_timeout'),
  '57P05': longer('idle_session_timeout'),
  '25006':
    '; the server is read-only: if it is a standby, connect to the primary; if default_transaction_read_only is on, animus doctor says where it is set',
  '53100': "; the server's disk is full",
  '53200': '; the server is out of memory',
  '53400': '; a limit of the login, database or server is too low for it, such as temp_file_limit',
};

/** True when the connection and others of its generation are unusable: it is lost, or its server is no longer the primary. */
export function isLostServer(error: unknown): boolean {
  return isAnimusError(error, 'db.unreachable') && (isConnectionLoss(error.cause) || sqlState(error) === '25006');
}

/** True when a prepared statement no longer fits its table: the connection has to prepare it anew. By the server's function: messages are translated. */
export function isStalePlan(error: unknown): boolean {
  return sqlState(error) === '0A000' && isDatabaseError(error) && error.routine === 'RevalidateCachedQuery';
}

/** True if the server does not know a statement that had been prepared, or knows it already: a pooler shares sessions. */
export function isLostPreparation(error: unknown): boolean {
  const code = sqlState(error);
  return (code === '26000' || code === '42P05') && /\banimus_[0-9a-f]{24}\b/.test(messageOf(error));
}

/** The SQLSTATE of a statement's error, or undefined for any other thrown value. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof AnimusError) return sqlState(error.cause);
  return isDatabaseError(error) ? error.code : undefined;
}

/** Whether another session held a lock for too long, or both waited for each other: the transaction can be run again. */
export function isLockConflict(error: unknown): boolean {
  return LOCK_CONFLICTS.has(sqlState(error) ?? '');
}

/** Whether another transaction has undone this one, with all that it wrote: serialization failure, deadlock. */
export function isUndone(error: unknown): boolean {
  return UNDONE.has(sqlState(error) ?? '');
}

const UNDONE = new Set(['40001', '40P01']);

/** SQLSTATEs: lock not available, deadlock detected. */
const LOCK_CONFLICTS = new Set(['55P03', '40P01']);

/** To catch what a login may not read: null in its place. */
export function nullIfForbidden(error: unknown): null {
  if (isAnimusError(error, 'db.forbidden')) return null;
  throw error;
}

/** Whether a statement names a schema, table, column or function that the database does not have. */
export function isMissingObject(error: unknown): boolean {
  return MISSING_OBJECTS.has(sqlState(error) ?? '');
}

/** SQLSTATEs: undefined schema, table, column, function, object. */
const MISSING_OBJECTS = new Set(['3F000', '42P01', '42703', '42883', '42704']);

/** True for an error of the server. A connection that a program passes to us may come from another copy of the driver, with its own error class. */
export function isDatabaseError(error: unknown): error is DatabaseError {
  if (error instanceof DatabaseError) return true;
  return error instanceof Error && 'severity' in error && 'routine' in error && 'code' in error;
}

function detailsOf(error: DatabaseError): ErrorDetails {
  const given = givenDetails(error.detail);
  const id = given['id'];
  const held = typeof id === 'string' ? `work item ${id}` : 'the work';
  const hint = error.hint === undefined ? {} : { hint: `; ${error.hint}` };
  return { detail: error.message, reason: error.message, held, ...hint, ...given };
}

function givenDetails(detail: string | undefined): ErrorDetails {
  if (!detail) return {};
  try {
    const parsed: unknown = JSON.parse(detail);
    if (parsed !== null && typeof parsed === 'object') return { ...parsed };
  } catch {
    // Not JSON.
  }
  // A bare DETAIL is the id the message is about.
  return { id: detail };
}

/** A hint ('' for none) if the server or its certificate check refused the connection; null if the server could not be reached. */
function refusalHint(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  const message = messageOf(error);
  if (/does not support SSL/i.test(message)) return '; add ?sslmode=disable if the network is trusted';
  if (typeof code !== 'string')
    return /SASL|password must be/i.test(message) ? '; does it contain the password?' : null;
  if (code.startsWith('28')) return isRefusedByAddress(error) ? NOT_LET_IN : '';
  if (code === '3D000') return '; create it with createdb';
  if (code === '42501')
    return message.includes('session_replication_role') ? NO_TRIGGERS : '; the role needs the connect privilege';
  if (code.startsWith('08') || code.startsWith('53') || code.startsWith('57') || UNUSABLE[code] !== undefined)
    return null;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code)) {
    return '; name its certificate authority with sslrootcert=FILE, or see sslmode in docs/operations.md';
  }
  return /^[0-9A-Z]{5}$/.test(code) ? '' : null;
}

/** Whether pg_hba.conf has no line for the connection, or one that rejects it. By the server's function: messages are translated. */
function isRefusedByAddress(error: unknown): boolean {
  return isDatabaseError(error) && error.routine === 'ClientAuthentication';
}

const NOT_LET_IN =
  '; pg_hba.conf does not let this connection in: if it is not encrypted, add ?sslmode=require, otherwise the file needs a line for it';

const SOCKET_ERRORS = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    // 57P01..57P05: shutdown, crash of another backend, starting up, database dropped, idle session ended; 25P03 (and 25P04): our transaction was ended.
    return SOCKET_ERRORS.has(code) || code.startsWith('57P') || code.startsWith('08') || /^25P0[34]$/.test(code);
  }
  return /^Connection terminated|^Client has encountered a connection error|connection is closed/i.test(error.message);
}
