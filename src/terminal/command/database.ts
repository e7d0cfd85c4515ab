/** Opens the database for a command: DATABASE_URL, else the embedded one, through its daemon or for this one command. */

import { AnimusError } from '../../core/errors/errors.ts';
import { interruption, sayingWhatGoesOn } from '../../core/errors/interruption.ts';
import { aborted } from '../../core/lifecycle/aborted.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { checkCompatible } from '../../store/migrations/compatibility.ts';
import { hasFunctions } from '../../store/migrations/schema-version.ts';
import { openConfiguredDatabase } from '../../store/open/open-database.ts';
import type { Database } from '../../store/sql/database.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import { whileWaiting } from '../view/progress.ts';
import type { Invocation } from './command.ts';

/** What runs with the database. From a call of `whenStopped` on, an interruption says that this goes on without the command. */
type DatabaseWork<T> = (db: Database, whenStopped: (goesOn: string) => void) => Promise<T>;

/**
 * Opens the database, checks its schema, runs `work` and closes it. `goesOn`: what an interruption says until `work` says something else; default:
 * nothing. Errors: `db.*`, `config.*`, `interrupted`.
 */
export async function withDatabase<T>(invocation: Invocation, work: DatabaseWork<T>, goesOn = ''): Promise<T> {
  const compatible: DatabaseWork<T> = async (database, whenStopped) => {
    // Only animus uses an embedded database, so the first command creates it. A server is migrated by `db migrate` only.
    if (database.kind === 'embedded' && !(await hasFunctions(database))) {
      invocation.output.note(`creating a new embedded database in ${(await invocation.reach()).home}`);
      const { migrate } = await import('../../store/migrations/migrate.ts');
      await whileWaiting(invocation.output, 'creating its schema', () => migrate(database));
    }
    await whileWaiting(invocation.output, `checking the schema at ${database.where}`, () => checkCompatible(database));
    return work(database, whenStopped);
  };
  return withRawDatabase(invocation, compatible, goesOn);
}

/** The same without checking the schema, for the commands that create it. */
export async function withRawDatabase<T>(invocation: Invocation, work: DatabaseWork<T>, goesOn = ''): Promise<T> {
  await refuseInsideWork(invocation);
  const finished = new AbortController();
  let says = goesOn;
  const saying = (db: Database) => work(db, (text) => void (says = text));
  try {
    const overdue = interruptionOverdue(invocation.context.signals.drain, finished.signal);
    return await Promise.race([openAndWork(invocation, saying), overdue]);
  } catch (error) {
    throw sayingWhatGoesOn(error, says);
  } finally {
    finished.abort();
  }
}

async function openAndWork<T>({ output, reach }: Invocation, work: (db: Database) => Promise<T>): Promise<T> {
  const { databaseUrl, home } = await reach();
  const opening = databaseUrl === null ? `opening the embedded database in ${home}` : 'connecting';
  const database = await whileWaiting(output, opening, () =>
    openConfiguredDatabase({ databaseUrl, home }, { role: 'command', log: silentLog }),
  );
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Errors: `db.not_in_work`. Inside a work item, silently opening a database other than the daemon's would mislead the agent that runs the command. */
export async function refuseInsideWork({ context, reach }: Pick<Invocation, 'context' | 'reach'>): Promise<void> {
  const workItemId = context.env['ANIMUS_WORK_ID'];
  if (workItemId && (await reach()).databaseUrl === null) throw new AnimusError('db.not_in_work', { id: workItemId });
}

/** How long an interrupted command may take to end, before it is abandoned with its connection. */
const LINGER_MS = 1000;

/** Rejects when the command was interrupted and did not end in time (the server does not answer). */
async function interruptionOverdue(interrupted: AbortSignal, finished: AbortSignal): Promise<never> {
  await aborted(AbortSignal.any([interrupted, finished]));
  await systemClock.sleep(LINGER_MS, finished);
  throw interruption();
}
