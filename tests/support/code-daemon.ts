/** The registration of a daemon that runs code, for tests of what asks for one. */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../src/store/sql/database.ts';
import { registerDaemon } from '../../src/store/work/daemons.ts';

/** Registers it, with the faculty `sandbox` unless others are given. `problem`: why its containers cannot be started. Returns its id. */
export async function registerCodeDaemon(
  db: Queryable,
  { problem, faculty = 'sandbox', mode = 'code' }: { problem?: string; faculty?: string; mode?: 'code' | null } = {},
): Promise<string> {
  const id = randomUUID();
  const options = {
    max: 4,
    max_attempts: 1,
    dedup_until: 'resolved' as const,
    ...(mode !== null && { mode }),
    ...(problem !== undefined && { no_sandbox: problem }),
  };
  const faculties = { [faculty]: options };
  await registerDaemon(db, { id, host: 'here', pid: 1, version: '1', maxConcurrent: 4, faculties, problems: [] });
  return id;
}
