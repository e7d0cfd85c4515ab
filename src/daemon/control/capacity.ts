/** What a daemon may claim now. Pure. */
import type { Faculty } from '../../catalog/faculty.ts';
import type { ClaimableFaculty } from '../../store/work/work.ts';

/**
 * The faculties to claim for: all that are known and not held back by trouble with their provider. `hostGraceSeconds`: how
 * long a focus is left to the host that has its directory.
 */
export function claimableFaculties(
  faculties: Iterable<Faculty>,
  heldUntilMs: ReadonlyMap<string, number>,
  nowMs: number,
  hostGraceSeconds: number,
): Record<string, ClaimableFaculty> {
  const claimable: Record<string, ClaimableFaculty> = {};
  for (const faculty of faculties) {
    if ((heldUntilMs.get(faculty.name) ?? 0) > nowMs) continue;
    claimable[faculty.name] = claimableFaculty(faculty, hostGraceSeconds);
  }
  return claimable;
}

/** Without a maximum of its own a faculty is bounded by the daemons alone. */
const NO_MAXIMUM = 1_000_000;

export function claimableFaculty(faculty: Faculty, hostGraceSeconds: number): ClaimableFaculty {
  return {
    max: faculty.maxConcurrent ?? NO_MAXIMUM,
    max_attempts: faculty.recover.maxAttempts,
    dedup_until: faculty.dedupUntil,
    host_grace_seconds: hostGraceSeconds,
  };
}
