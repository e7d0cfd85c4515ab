/** Waits for a daemon before a command follows a work item, where the command itself would keep the daemon from starting. */
import { interruption } from '../../../core/errors/interruption.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import { isTerminal } from '../../../core/work/work.ts';
import { readWork } from '../../../operations/read-work.ts';
import { readOwner } from '../../../store/embedded/embedded-owner.ts';
import type { Database } from '../../../store/sql/database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { viewsOfLogin } from '../../../store/views/views-of-login.ts';
import { liveDaemons } from '../../../store/work/daemons.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';

/** Between two looks the embedded database is closed, and `serve` waits 5 s for it. */
const PAUSE_MS = 3000;

/**
 * An embedded database has one owner. Without a daemon that is the command, and as long as it had the database open, `serve`
 * could not start. Returns once a daemon serves the database or the item has ended; at once with a server. Errors: those of
 * `findWork`, `db.*`, `interrupted`.
 */
export async function untilServed(invocation: Invocation, reference: string): Promise<void> {
  const { home, databaseUrl } = await invocation.reach();
  if (databaseUrl !== null) return;
  const { drain } = invocation.context.signals;
  const goesOn = `work item ${reference.trim().slice(-12)} stays in the queue until a daemon runs: ${invocation.output.called} serve`;
  for (let isFirst = true; ; isFirst = false) {
    if (await withDatabase(invocation, (db) => isFollowable(db, home, reference), goesOn)) return;
    if (isFirst)
      invocation.output.note(
        `no daemon is running; waiting until one is started with: ${invocation.output.called} serve`,
      );
    await systemClock.sleep(PAUSE_MS, drain);
    if (drain.aborted) throw interruption(goesOn);
  }
}

async function isFollowable(db: Database, home: string, reference: string): Promise<boolean> {
  const isOwn = readOwner(home)?.pid === process.pid;
  if (!isOwn && (await liveDaemons(db))?.length !== 0) return true;
  const { state } = await readWork(db, await findWork(db, reference), await viewsOfLogin(db));
  return isTerminal(state);
}
