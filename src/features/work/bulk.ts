/** What operators do with all work that matches, and submitters with theirs. */
import type { WorkState } from '../../core/work/work.ts';
import { choice, facultyName, flag, id, optional, text, time, whole } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';

/** The states in which an act makes sense. */
export const CHANGED_STATES = {
  cancel: ['scheduled', 'queued', 'claimed', 'running', 'waiting'],
  retry: ['dead', 'cancelled'],
} as const satisfies Record<string, readonly WorkState[]>;

/** Which work is meant; everything must hold. */
export interface WorkMatch {
  /** Default: those in which the act makes sense. */
  readonly state: WorkState | undefined;
  readonly faculty: string | undefined;
  /** Ended since this time or, where it has not ended, was submitted since. */
  readonly since: Date | undefined;
}

/** What is done to a page of the items that match. */
export interface MatchingChange extends WorkMatch {
  readonly reason: string | undefined;
  readonly dry_run: boolean;
  readonly after: string | undefined;
  readonly limit: number;
}

export interface ChangedWork {
  readonly matching: { faculty: string; state: WorkState; items: number }[] | null;
  readonly changed: string[];
  readonly left: { id: string; reason: string }[];
  readonly next: string | null;
}

function bulkOperation(
  action: keyof typeof CHANGED_STATES,
  described: Pick<Operation, 'name' | 'summary' | 'scope'>,
): Operation<MatchingChange, ChangedWork> {
  const allowed: readonly WorkState[] = CHANGED_STATES[action];
  return operation({
    ...described,
    tag: 'work',
    http: { method: 'POST', path: `/bulk/${action}` },
    input: {
      state: optional(choice(allowed, { description: 'default: all of these' })),
      faculty: optional(facultyName()),
      since: optional(time({ description: 'only what has ended since then or, if it is open, was submitted since' })),
      reason: optional(text({ description: 'kept with items that are cancelled' })),
      dry_run: flag({ default: false, description: 'only count what matches' }),
      after: optional(id()),
      limit: whole({ min: 1, max: 500, default: 200, description: 'how many items one request tries' }),
    },
    check: ({ state, faculty, since }) =>
      state === undefined && faculty === undefined && since === undefined
        ? 'select items by state, faculty or since'
        : null,
    output: (s) =>
      s.z
        .object({
          matching: s.z
            .array(s.z.object({ faculty: s.z.string(), state: s.workState(), items: s.z.int() }))
            .nullable()
            .describe('of a dry run: how many items match; otherwise null'),
          changed: s.z.array(s.id()),
          left: s.z
            .array(s.z.object({ id: s.id(), reason: s.z.string() }))
            .describe('items that stay as they are, and why'),
          next: s.id().nullable().describe('`after` of the next request; null: no more items match'),
        })
        .meta({ id: 'ChangedWork' }),
    async run({ tx }, { dry_run: dry, ...change }) {
      if (dry) return { matching: await countMatching(tx, allowed, change), changed: [], left: [], next: null };
      const tried = await changeMatching(tx, action, allowed, change);
      return {
        matching: null,
        changed: tried.filter(({ problem }) => problem === null).map((one) => one.id),
        left: tried.flatMap((one) => (one.problem === null ? [] : [{ id: one.id, reason: one.problem }])),
        next: tried.length < change.limit ? null : (tried.at(-1)?.id ?? null),
      };
    },
  });
}

export const cancelMatchingWork = bulkOperation('cancel', {
  name: 'cancelMatchingWork',
  summary: 'Cancel the items that match, and their children: operators any, others their own',
  scope: 'work',
});
export const retryMatchingWork = bulkOperation('retry', {
  name: 'retryMatchingWork',
  summary: 'Queue the dead or cancelled items that match again; for operators',
  scope: 'decide',
});

/** How many items match that the actor may change, by faculty and state; most first. */
function countMatching(
  tx: Queryable,
  allowed: readonly WorkState[],
  { state, faculty, since }: WorkMatch,
): Promise<{ faculty: string; state: WorkState; items: number }[]> {
  return tx.query(
    'select faculty, state, items::int as items from animus.count_matching_work($1::text[], $2, $3::timestamptz)',
    [state === undefined ? allowed : [state], faculty ?? null, since ?? null],
  );
}

/** Changes items that match, in the order of their ids. `problem`: why one stays as it is; null: it was changed. Errors: `db.forbidden`. */
function changeMatching(
  tx: Queryable,
  action: keyof typeof CHANGED_STATES,
  allowed: readonly WorkState[],
  { state, faculty, since, reason, after, limit }: Omit<MatchingChange, 'dry_run'>,
): Promise<{ readonly id: string; readonly problem: string | null }[]> {
  return tx.query(
    'select id, problem from animus.change_matching_work($1, $2::text[], $3, $4::timestamptz, $5, $6::uuid, $7)',
    [
      action,
      state === undefined ? allowed : [state],
      faculty ?? null,
      since ?? null,
      toText(reason),
      after ?? null,
      limit,
    ],
  );
}
