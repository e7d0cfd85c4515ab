/** Work that the daemon of a scratch run will never claim: its faculty has a problem, or does not exist. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import { listProblems } from '../../core/errors/problem.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { DaemonReady } from '../../daemon/daemon-options.ts';

interface ScratchFaculties {
  readonly config: Config;
  readonly facultiesDir: string;
  readonly adapt: (faculty: Faculty) => Faculty;
}

/** How often work is looked for. */
const LOOK_MS = 500;

/** Rejects with `faculty.unknown` once there is such work, also of a child: nobody else serves this database. Otherwise it ends with the signal. */
export async function refuseUnservedWork(
  { db }: DaemonReady,
  scratch: ScratchFaculties,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const look = db.query<{ faculty: string }>(
      `select faculty from animus.waiting_work where reason = 'unserved' order by work_item_id limit 1`,
    );
    const [unserved] = await look.catch((error: unknown) => {
      // A daemon that stops closes its connections under it.
      if (signal.aborted) return [];
      throw error;
    });
    if (unserved !== undefined) throw await unservedError(unserved.faculty, scratch);
    await systemClock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}

async function unservedError(name: string, { config, facultiesDir, adapt }: ScratchFaculties): Promise<AnimusError> {
  const { loadRunnableFaculties } = await import('../../daemon/reload/load-faculties.ts');
  const { problems } = await loadRunnableFaculties(facultiesDir, config, adapt);
  const hint = problems.length > 0 ? `; these files have problems:\n${listProblems(problems)}` : '';
  return new AnimusError('faculty.unknown', { name, hint });
}
