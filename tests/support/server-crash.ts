/** Crashes of a test's own server that take along what it had not written to its log yet. */
import type { Database } from '../../src/store/database.ts';
import { eventually } from './eventually.ts';

/** From here on commits that do not wait for the disk stay in memory: the log's writer alone would write them. */
export async function keepCommitsInMemory(db: Database): Promise<void> {
  process.kill(await writerOf(db), 'SIGSTOP');
}

/**
 * A server that loses one of its processes forgets its memory and recovers from its log, as after a crash of its machine. Resolves
 * when it answers again.
 */
export async function crashServer(db: Database): Promise<void> {
  const before = await writerOf(db);
  process.kill(before, 'SIGKILL');
  await eventually('the server is back', async () => {
    const pid = await writerOf(db).catch(() => before);
    return pid === before ? null : pid;
  });
}

async function writerOf(db: Database): Promise<number> {
  const [row] = await db.query<{ pid: number }>(`select pid from pg_stat_activity where backend_type = 'walwriter'`);
  return row!.pid;
}
