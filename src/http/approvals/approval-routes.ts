/** What waits for a person, and what an operator decides about it. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { grantPattern } from '../../core/permissions/grant-pattern.ts';
import { id, json, jsonObject, time } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readInboxGroups } from '../../store/views/inbox-view.ts';
import { readVisibleInbox } from '../../store/views/visible/visible-appliance.ts';
import { answerQuestion, approve, decideAll, decidedBudget, deny, grantCall } from '../../store/work/decide.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { decidedLimit } from './decided-limit.ts';
import { grantRoutes } from './grant-routes.ts';

const params = z.strictObject({ id: id() });
const waiting = z
  .object({
    work_item_id: id().nullable(),
    faculty: z.string(),
    ask_id: id().describe('what a decision names; another request has another id'),
    call_id: z.string().nullable().describe('the call that waits, as its provider has named it; null where none waits'),
    kind: z.string(),
    subject: z.string(),
    request: jsonObject().describe('exactly what is to be decided, made from what is recorded'),
    hash: z.string().describe('binds a decision to this request'),
    asked_at: time(),
    deadline: time().nullable(),
    turn: z.int().nullable(),
    submitted_by: z.string().nullable(),
    description: z.string(),
    items: z
      .int()
      .describe(
        'how many work items wait for the same limit: a decision is about all of them (a denial ends 1,000 at most); 1 for anything else',
      ),
    work_items: z.array(id().nullable()).describe('the first hundred of them; with work_item_id, only that item'),
  })
  .meta({ id: 'Approval' });

const listApprovals = jsonRoute({
  id: 'listApprovals',
  method: 'GET',
  path: '/approvals',
  tag: 'approvals',
  summary: 'What waits for a person, oldest first; all that waits for one limit is one entry',
  scope: 'read',
  query: z.strictObject({
    work_item_id: id().optional().describe('only what this item waits for'),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
  }),
  output: z.object({ items: z.array(waiting) }),
  run: async ({ tx }, { query }) => ({
    items: await readVisibleInbox(tx, query.work_item_id ?? null, query.limit),
  }),
});

const group = z
  .object({
    group_id: z.string(),
    subject: z.string(),
    faculty: z.string(),
    root_id: id().nullable().describe('the item that asks, with all that is below it; null: a limit or a faculty'),
    tool: z.string().nullable(),
    reason: z.string().nullable().describe('the rule that asks'),
    count: z.int(),
    items: z.int().describe('how many work items ask'),
    first_asked_at: time(),
    last_asked_at: time(),
    deadline: time().nullable().describe('the first one'),
    identical: z.boolean().describe('all ask for exactly the same, so they may be approved together'),
    ask_ids: z.array(id()).describe('the first hundred, oldest first'),
  })
  .meta({ id: 'ApprovalGroup' });

const listGroups = jsonRoute({
  id: 'listApprovalGroups',
  method: 'GET',
  path: '/approvals/groups',
  tag: 'approvals',
  summary: 'What waits for a person by cause, so that one item cannot hide the others',
  scope: 'read',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(200) }),
  output: z.object({ items: z.array(group) }),
  run: async ({ tx }, { query }) => ({ items: await readInboxGroups(tx, query.limit) }),
});

const decideMany = jsonRoute({
  id: 'decideApprovals',
  method: 'POST',
  path: '/approvals/decide',
  tag: 'approvals',
  summary: 'Decide about many requests at once, each named by its id; for operators',
  scope: 'decide',
  body: z.strictObject({
    ask_ids: z.array(id()).min(1).max(1000),
    action: z
      .enum(['deny', 'answer', 'approve'])
      .describe('`answer` acknowledges what was lost; `approve` is for calls that are exactly the same'),
    note: z.string().min(1),
  }),
  output: z.object({ decided: z.int().describe('what no longer waits is left out') }),
  errors: ['work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, { body }) => ({ decided: await decideAll(tx, body.ask_ids, body.action, body.note) }),
});

const decision = {
  ask_id: id().describe('of what is decided, as it was shown: 409 if it no longer waits'),
  note: z.string().optional(),
  hash: z.string().optional().describe('refused with 409 if something else waits by now'),
};
const decided = z.object({ work_item_id: id(), ask_id: id() });
const decidedWith = decided.extend({
  budget: decidedLimit
    .nullable()
    .describe('of a decision about a limit: what holds now, and what goes on; null for others'),
});

const always = z
  .strictObject({
    scope: z.enum(['item', 'faculty']).default('item'),
    seconds: z.int().min(1).max(31_622_400).default(604_800).describe('how long; default a week, at most 366 days'),
    pattern: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('of inputs, such as `npm test*`; default: exactly this one'),
  })
  .describe('also allow calls like this one from now on, without asking');

const approveRoute = jsonRoute({
  id: 'approve',
  method: 'POST',
  path: '/work/{id}/approve',
  tag: 'approvals',
  summary: 'Approve what waits; for operators',
  scope: 'decide',
  params,
  body: z.strictObject({
    ...decision,
    input: json().optional().describe('the call runs with this input instead'),
    always: always.optional(),
  }),
  output: decidedWith.extend({ grant_id: z.string().nullable() }),
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, { path, body }) => {
    const { ask_id: ask, note, hash } = body;
    const input = body.input === undefined ? undefined : JSON.stringify(body.input);
    const granted = body.always === undefined ? null : await grant(tx, path.id, { ask, note, ...body.always });
    const approved = await approve(tx, path.id, { ask, note, hash, input });
    return { work_item_id: path.id, ask_id: approved, grant_id: granted, budget: await decidedBudget(tx, approved) };
  },
});

type Granted = z.output<typeof always> & { readonly ask: string; readonly note?: string | undefined };

/** Before the call is approved: afterwards it does not wait any more. */
async function grant(tx: Queryable, id: string, { ask, note, scope, seconds, pattern }: Granted): Promise<string> {
  if (pattern === undefined) return grantCall(tx, id, { ask, note, scope, seconds });
  const waits = await readVisibleInbox(tx, id, 1000);
  const asked = waits.find(({ ask_id: name }) => name === ask);
  const covered = grantPattern(String(asked?.request['tool']), pattern);
  if (typeof covered !== 'string') {
    throw new AnimusError('work.invalid', { detail: `always.pattern ${JSON.stringify(pattern)}: ${covered.problem}` });
  }
  return grantCall(tx, id, { ask, note, scope, seconds, pattern: covered });
}

const denyRoute = jsonRoute({
  id: 'deny',
  method: 'POST',
  path: '/work/{id}/deny',
  tag: 'approvals',
  summary: 'Deny what waits; the model gets the note; for operators',
  scope: 'decide',
  params,
  body: z.strictObject(decision),
  output: decidedWith,
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, { path, body }) => {
    const { ask_id: ask, note, hash } = body;
    const denied = await deny(tx, path.id, { ask, note, hash });
    return { work_item_id: path.id, ask_id: denied, budget: await decidedBudget(tx, denied) };
  },
});

const answerRoute = jsonRoute({
  id: 'answer',
  method: 'POST',
  path: '/work/{id}/answer',
  tag: 'approvals',
  summary: 'Answer a question of the model; for operators',
  scope: 'decide',
  params,
  body: z.strictObject({ text: z.string().min(1), ask_id: decision.ask_id }),
  output: decided,
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, { path, body }) => {
    return { work_item_id: path.id, ask_id: await answerQuestion(tx, path.id, body.text, body.ask_id) };
  },
});

export const approvalRoutes: readonly Route[] = [
  listApprovals,
  listGroups,
  decideMany,
  approveRoute,
  denyRoute,
  answerRoute,
  ...grantRoutes,
];
