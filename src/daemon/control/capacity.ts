/** Computes what a daemon may claim now. Pure. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { ClaimableFaculty } from '../../store/work/work.ts';

/** What a daemon knows when it claims. */
export interface Situation {
  /** Faculties whose provider is failing, and until when. */
  readonly heldUntilMs: ReadonlyMap<string, number>;
  readonly nowMs: number;
  /** How long a focus is reserved for the host that has its directory. */
  readonly hostGraceSeconds: number;
  /** How many items of a faculty to claim ahead. */
  readonly aheadOf: (faculty: Faculty) => number;
}

/** The faculties to claim for: all known ones, except those whose provider is failing. */
export function claimableFaculties(
  faculties: Iterable<Faculty>,
  { heldUntilMs, nowMs, hostGraceSeconds, aheadOf }: Situation,
): Record<string, ClaimableFaculty> {
  const claimable: Record<string, ClaimableFaculty> = {};
  for (const faculty of faculties) {
    if ((heldUntilMs.get(faculty.name) ?? 0) > nowMs) continue;
    const ahead = aheadOf(faculty);
    const options = claimableFaculty(faculty, hostGraceSeconds);
    claimable[faculty.name] =
      ahead === 0 ? options : { ...options, ahead, ...(faculty.prefetch === undefined && { yields: true as const }) };
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
    budgets: true,
    suspects: true,
    ...(faculty.onDuplicate === 'tell' && { on_duplicate: 'tell' as const }),
    ...(faculty.engage.mode !== 'builtin' && { mode: faculty.engage.mode }),
  };
}
