/** Computes what a daemon may claim now. Pure. */
import type { Faculty } from '../../catalog/faculty.ts';
import type { ClaimableFaculty } from '../../store/work/work.ts';

/**
 * The faculties to claim for: all known ones, except those whose provider is failing. `hostGraceSeconds`: how long a focus
 * is reserved for the host that has its directory.
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

/** A faculty without its own maximum is bounded only by the limits of the daemons. */
const NO_MAXIMUM = 1_000_000;

export function claimableFaculty(faculty: Faculty, hostGraceSeconds: number): ClaimableFaculty {
  return {
    max: faculty.maxConcurrent ?? NO_MAXIMUM,
    max_attempts: faculty.recover.maxAttempts,
    dedup_until: faculty.dedupUntil,
    host_grace_seconds: hostGraceSeconds,
    batches: true,
  };
}
