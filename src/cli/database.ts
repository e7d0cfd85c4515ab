/** The database of a command: DATABASE_URL, else the embedded one, through its daemon or opened for this one command. */
import type { Config } from '../core/config.ts';
import { AnimusError } from '../core/errors.ts';
import { checkCompatible } from '../store/compatibility.ts';
import type { Database } from '../store/database.ts';
import { migrate, schemaVersion } from '../store/migrate.ts';
import { openConfiguredDatabase } from '../store/open-database.ts';
import { silentLog } from '../telemetry/log.ts';
import type { Invocation } from './command.ts';

/** Runs `work` with the database, its schema checked, and closes it. Errors: `db.*`, `config.*`, `interrupted`. */
export async function withDatabase<T>(invocation: Invocation, work: (db: Database) => Promise<T>): Promise<T> {
  return withRawDatabase(invocation, async (database) => {
    // An embedded database is nobody's but ours, so its first command makes it; a server's is migrated when told to.
    if (database.kind === 'embedded' && (await schemaVersion(database)) === 0) {
      invocation.output.note(`making a new embedded database in ${invocation.config().home}`);
      await migrate(database);
    }
    await checkCompatible(database);
    return work(database);
  });
}

/** The same without a look at the schema, for the commands that make it. */
export async function withRawDatabase<T>(invocation: Invocation, work: (db: Database) => Promise<T>): Promise<T> {
  const { drain } = invocation.context.signals;
  const config = invocation.config();
  refuseInsideWork(config, invocation);
  const database = await openConfiguredDatabase(config, { role: 'command', log: silentLog });
  try {
    return await Promise.race([work(database), rejectedWhen(drain)]);
  } finally {
    // After an interruption a statement may still run: the process ends without waiting for it.
    if (!drain.aborted) await database.close();
  }
}

/** Inside work, a command that silently opened another database than its daemon's would mislead the agent that runs it. */
function refuseInsideWork(config: Config, { context }: Invocation): void {
  const workItemId = context.env['ANIMUS_WORK_ID'];
  if (workItemId && config.databaseUrl === null) throw new AnimusError('db.not_in_work', { id: workItemId });
}

function rejectedWhen(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = () => reject(new AnimusError('interrupted'));
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  });
}
