/** Runs one step of a migration at a time, without making users of the tables wait for long. */
import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { isLockConflict } from '../sql/database-errors.ts';
import { PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';
import { migrationError } from './migration-errors.ts';

export interface TurnOptions {
  readonly log?: Log;
  /** How long a step is retried while other sessions hold locks that it needs; milliseconds, default 10 minutes. */
  readonly patienceMs?: number;
  /** Ends the wait: the step then fails with `db.unreachable`. */
  readonly ending?: AbortSignal;
}

/**
 * Runs `work` in a transaction, one migrating process at a time. Processes take turns with a lock on animus.schema_migrations, which only
 * the schema's owner may take. The lock ends with the transaction, so it works through poolers. `work` waits at most 100 ms for any other
 * lock: later lock requests queue behind it, and it may be waiting for a dump that takes hours. After that time, or after a deadlock with
 * writes of daemons, everything is rolled back and run again a little later.
 */
export async function takeTurn<T>(
  database: Database,
  file: string,
  options: TurnOptions,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const { log = silentLog, patienceMs = 600_000, ending } = options;
  const began = systemClock.monotonicMs();
  let reportedAt: number | null = null;
  for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return await database.transaction(async (tx) => {
        await tx.query('lock table animus.schema_migrations in exclusive mode');
        await tx.query(SETTINGS);
        return work(tx);
      });
    } catch (error) {
      if (!isLockConflict(error)) throw await migrationError(error, database, file);
      const blocker = await oldestUser(database);
      if (systemClock.monotonicMs() - began >= patienceMs) throw tooBusy(file, blocker, error);
      if (reportedAt === null || systemClock.monotonicMs() - reportedAt >= REMIND_MS) {
        reportedAt = systemClock.monotonicMs();
        log.warn({ migration: file, ...blocker }, 'another session has locked what this step changes; trying again');
      }
    }
    await systemClock.sleep(pauseMs * (0.5 + Math.random()), ending);
    if (ending?.aborted) {
      throw new AnimusError('db.unreachable', {
        where: database.where,
        detail: `stopped while ${file} waited for a lock`,
        hint: '',
      });
    }
  }
}

/**
 * Of a step. It may rewrite a large table, whatever the login's other statements may take. Released migrations and pgmq have backslashes in their texts, and behind a
 * transaction pooler the settings of our sessions do not last. A row that row security hides is not gone: the step is refused.
 */
const SETTINGS = `select set_config(s.name, s.value, true)
  from (values ('lock_timeout', '100ms'), ('statement_timeout', '0'), ('transaction_timeout', '0'), ('standard_conforming_strings', 'on'),
               ('restrict_nonsystem_relation_kind', ''), ('row_security', 'off')) s (name, value)
 where current_setting(s.name, true) is not null`;

const MAX_PAUSE_MS = 5_000;
const REMIND_MS = 30_000;

interface Blocker {
  readonly pid: number;
  readonly application: string;
  /** Null if the role may not see it. */
  readonly since: Date | null;
}

/** The oldest transaction of another session that uses our tables: most likely the blocker. */
async function oldestUser(database: Database): Promise<Blocker | undefined> {
  const [found] = await database.query<Blocker>(
    `select a.pid, a.application_name as application, a.xact_start as since from pg_stat_activity a
      where a.pid <> pg_backend_pid() and a.datname = current_database()
        and exists (select from pg_locks l join pg_class c on c.oid = l.relation
                     where l.pid = a.pid and l.granted and l.database = (select oid from pg_database where datname = current_database())
                       and c.relnamespace in (select oid from pg_namespace where nspname in ('animus', ${PGMQ_SCHEMA})))
      order by a.xact_start nulls last limit 1`,
  );
  return found;
}

function tooBusy(file: string, blocker: Blocker | undefined, cause: unknown): AnimusError {
  const who = blocker
    ? `; the oldest transaction on its tables is that of process ${blocker.pid} (${blocker.application || 'no application name'}), open since ${blocker.since?.toISOString() ?? 'an unknown time'}`
    : '';
  return new AnimusError(
    'db.migration_failed',
    { file, detail: `other sessions held locks on its tables${who}` },
    { cause },
  );
}
