/** The database of a command: DATABASE_URL, else the embedded one, through its daemon or opened for this one command. */
import type { Config } from '../core/config.ts';
import { AnimusError } from '../core/errors.ts';
import { checkCompatible } from '../store/compatibility.ts';
import type { Database } from '../store/database.ts';
import { migrate, schemaVersion } from '../store/migrate.ts';
import { openPostgres } from '../store/postgres.ts';
import type { Invocation } from './command.ts';

/** Commands wait for one thing at a time; the second connection is for what they follow meanwhile. */
const POOL_SIZE = 2;

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
  const database = await openDatabase(invocation.config(), invocation);
  try {
    return await Promise.race([work(database), rejectedWhen(drain)]);
  } finally {
    // After an interruption a statement may still run: the process ends without waiting for it.
    if (!drain.aborted) await database.close();
  }
}

async function openDatabase(config: Config, { context }: Invocation): Promise<Database> {
  const applicationName = 'animus-cli';
  if (config.databaseUrl !== null) {
    return openPostgres(config.databaseUrl.reveal(), { poolSize: POOL_SIZE, applicationName });
  }
  const workItemId = context.env['ANIMUS_WORK_ID'];
  if (workItemId) throw new AnimusError('db.not_in_work', { id: workItemId });
  const { connectOrOpenEmbedded } = await import('../store/embedded.ts');
  const signal = context.signals.drain;
  return connectOrOpenEmbedded({ home: config.home, poolSize: POOL_SIZE, applicationName, signal });
}

function rejectedWhen(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = () => reject(new AnimusError('interrupted'));
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  });
}
