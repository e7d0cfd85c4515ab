/** What operators do with all work that matches, and submitters with theirs. */
import { z } from 'zod';
import type { WorkState } from '../../core/work/work.ts';
import { facultyName, id, timeIn, workState } from '../../operations/schemas.ts';
import { changeMatching, countChangeable } from '../../store/views/visible/visible-operated.ts';
import { type JsonRoute, jsonRoute } from '../route/route.ts';

const output = z
  .object({
    matching: z
      .array(z.object({ faculty: z.string(), state: workState(), items: z.int() }))
      .nullable()
      .describe('of a dry run: how many items match; otherwise null'),
    changed: z.array(id()),
    left: z.array(z.object({ id: id(), reason: z.string() })).describe('items that stay as they are, and why'),
    next: id().nullable().describe('`after` of the next request; null: no more items match'),
  })
  .meta({ id: 'ChangedWork' });

/** The states in which an operation makes sense. */
const STATES = {
  cancel: ['scheduled', 'queued', 'claimed', 'running', 'waiting'],
  retry: ['dead', 'cancelled'],
} as const satisfies Record<string, readonly WorkState[]>;

function bulkRoute(action: 'cancel' | 'retry', described: Pick<JsonRoute, 'id' | 'summary' | 'scope'>): JsonRoute {
  const allowed: readonly WorkState[] = STATES[action];
  return jsonRoute({
    ...described,
    method: 'POST',
    path: `/bulk/${action}`,
    tag: 'work',
    body: z
      .strictObject({
        state: z.enum(allowed).optional().describe('default: all of these'),
        faculty: facultyName().optional(),
        since: timeIn().optional().describe('only what has ended since then or, if it is open, was submitted since'),
        reason: z.string().optional().describe('kept with items that are cancelled'),
        dry_run: z.boolean().default(false).describe('only count what matches'),
        after: id().optional(),
        limit: z.int().min(1).max(500).default(200).describe('how many items one request tries'),
      })
      .refine(({ state, faculty, since }) => [state, faculty, since].some((given) => given !== undefined), {
        message: 'select items by state, faculty or since',
      }),
    output,
    run: async ({ tx }, { body }) => {
      const { state, faculty, since, reason, after, limit } = body;
      const match = {
        states: state === undefined ? allowed : [state],
        faculty,
        since: since === undefined ? undefined : new Date(since),
      };
      if (body.dry_run) return { matching: await countChangeable(tx, match), changed: [], left: [], next: null };
      const tried = await changeMatching(tx, { ...match, action, reason, after, limit });
      return {
        matching: null,
        changed: tried.filter(({ problem }) => problem === null).map((one) => one.id),
        left: tried.flatMap((one) => (one.problem === null ? [] : [{ id: one.id, reason: one.problem }])),
        next: tried.length < limit ? null : (tried.at(-1)?.id ?? null),
      };
    },
  });
}

export const bulkRoutes: readonly JsonRoute[] = [
  bulkRoute('cancel', {
    id: 'cancelMatchingWork',
    summary: 'Cancel the items that match, and their children: operators any, others their own',
    scope: 'work',
  }),
  bulkRoute('retry', {
    id: 'retryMatchingWork',
    summary: 'Queue the dead or cancelled items that match again; for operators',
    scope: 'decide',
  }),
];
