/** What waits for a person, and what an operator decides about it. */
import { approveAlways, DEFAULT_GRANT_SECONDS } from '../../operations/always-allow.ts';
import { asked, readAsked, readInbox } from '../../operations/asked.ts';
import { decidedBudget, decidedLimit } from '../../operations/decided-budget.ts';
import { choice, id, list, optional, other, text, whole } from '../../operations/fields.ts';
import { DECIDES, READS, smallPage } from '../../operations/mcp-offer.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { row } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';
import * as decide from '../../store/work/decide.ts';
import * as store from './store.ts';

const most = whole({ min: 1, max: 1000, default: 200 });

const listApprovals = operation({
  name: 'listApprovals',
  tag: 'approvals',
  summary: 'What waits for a person, oldest first; all that waits for one limit is one entry',
  scope: 'read',
  http: { method: 'GET', path: '/approvals' },
  mcp: {
    name: 'list_approvals',
    description:
      'What waits for a person, oldest first: calls to approve, questions to answer, limits to raise. All work that waits for one limit is one entry, and a decision is about all of it; a denial ends 1,000 work items at most, and the entry stays for what is left.',
    hints: READS,
    instead: smallPage,
  },
  input: { work_item_id: optional(id({ description: 'only what this item waits for' })), limit: most },
  output: (s) => s.z.object({ items: s.z.array(asked(s)) }),
  async run({ tx }, { work_item_id: work, limit }) {
    return { items: work === undefined ? await readInbox(tx, limit) : await readAsked(tx, work, limit) };
  },
});

const listApprovalGroups = operation({
  name: 'listApprovalGroups',
  tag: 'approvals',
  summary: 'What waits for a person by cause, so that one item cannot hide the others',
  scope: 'read',
  http: { method: 'GET', path: '/approvals/groups' },
  input: { limit: most },
  output: (s) => s.z.object({ items: s.z.array(store.askedGroup(s)) }),
  run: async ({ tx }, input) => ({ items: await store.readGroups(tx, input.limit) }),
});

export const decideApprovals = operation({
  name: 'decideApprovals',
  tag: 'approvals',
  summary: 'Decide about many requests at once, each named by its id; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/approvals/decide' },
  input: {
    ask_ids: list(id(), { min: 1, max: 1000 }),
    action: choice(['deny', 'answer', 'approve'], {
      description: '`answer` acknowledges what was lost; `approve` is for calls that are exactly the same',
    }),
    note: text({ min: 1 }),
  },
  output: (s) => s.z.object({ decided: s.z.int().describe('what no longer waits is left out') }),
  errors: ['work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, input) => ({ decided: await store.decideAll(tx, input.ask_ids, input.action, input.note) }),
});

const askId = id({ description: 'of what is decided, as it was shown: 409 if it no longer waits' });
const decision = {
  id: id(),
  ask_id: askId,
  note: optional(text()),
  hash: optional(text({ description: 'refused with 409 if something else waits by now' })),
};
const decided = row((s) => s.z.object({ work_item_id: s.id(), ask_id: s.id() }));
const decidedWith = row((s) =>
  decided(s).extend({
    budget: decidedLimit(s)
      .nullable()
      .describe('of a decision about a limit: what applies now, and what goes on; null for others'),
  }),
);

const DECIDE = 'For tokens of operators with the scope decide. Show your user exactly what is decided, and ask first.';
/** A decision of a model's client must name what it saw. */
const bound = (s: Schemas) => ({
  ask_id: s.id(),
  hash: s.z.string().min(1).describe('of list_approvals: refused if something else waits by now'),
});

const always = (s: Schemas) =>
  s.z
    .strictObject({
      scope: s.z.enum(['item', 'faculty']).default('item'),
      seconds: s.z
        .int()
        .min(1)
        .max(31_622_400)
        .default(DEFAULT_GRANT_SECONDS)
        .describe('how long; default a week, at most 366 days'),
      pattern: s.z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe('of inputs, such as `npm test*`; default: exactly this one'),
    })
    .describe('also allow calls like this one from now on, without asking')
    .optional();

export const approve = operation({
  name: 'approve',
  tag: 'approvals',
  summary: 'Approve what waits; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/work/{id}/approve' },
  mcp: { name: 'approve', description: `Approve what waits. ${DECIDE}`, hints: DECIDES, instead: bound },
  input: {
    ...decision,
    input: other((s) => s.json().optional().describe('the call runs with this input instead')),
    always: other(always),
  },
  output: (s) => decidedWith(s).extend({ grant_id: s.z.string().nullable() }),
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  async run({ tx }, { id: work, ask_id, note, hash, input, always: allowed }) {
    const how = { ask: ask_id, note, hash, input: input === undefined ? undefined : JSON.stringify(input) };
    const { ask, grant } = allowed
      ? await approveAlways(tx, work, how, allowed, ['work.invalid', 'always.pattern'])
      : { ask: await decide.approve(tx, work, how), grant: null };
    return { work_item_id: work, ask_id: ask, grant_id: grant, budget: await decidedBudget(tx, ask) };
  },
});

export const deny = operation({
  name: 'deny',
  tag: 'approvals',
  summary: 'Deny what waits; the model gets the note; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/work/{id}/deny' },
  mcp: {
    name: 'deny',
    description: `Deny what waits; the agent gets the note. ${DECIDE}`,
    hints: DECIDES,
    instead: bound,
  },
  input: decision,
  output: decidedWith,
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  async run({ tx }, { id: work, ask_id: ask, note, hash }) {
    const denied = await decide.deny(tx, work, { ask, note, hash });
    return { work_item_id: work, ask_id: denied, budget: await decidedBudget(tx, denied) };
  },
});

export const answer = operation({
  name: 'answer',
  tag: 'approvals',
  summary: 'Answer a question of the model; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/work/{id}/answer' },
  mcp: { name: 'answer_question', description: `Answer a question of an agent. ${DECIDE}`, hints: DECIDES },
  input: { id: id(), text: text({ min: 1 }), ask_id: askId },
  output: decided,
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, input) => ({
    work_item_id: input.id,
    ask_id: await decide.answerQuestion(tx, input.id, input.text, input.ask_id),
  }),
});

export const listGrants = operation({
  name: 'listGrants',
  tag: 'approvals',
  summary: 'The calls that run without an approval; for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/grants' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.grant(s)) }),
  run: async ({ tx }) => ({ items: await store.readGrants(tx) }),
});

/** The number of a grant. */
export const GRANT = /^\d{1,18}$/;

export const revokeGrant = operation({
  name: 'revokeGrant',
  tag: 'approvals',
  summary: 'End a grant; calls that have started continue; for operators',
  scope: 'decide',
  http: { method: 'DELETE', path: '/grants/{id}' },
  input: { id: text({ pattern: GRANT, expected: 'the number of a grant' }) },
  output: (s) => s.z.object({ id: s.z.string(), revoked: s.z.boolean().describe('false: it had ended before') }),
  errors: ['work.not_found'],
  run: async ({ tx }, input) => ({ id: input.id, revoked: await store.revokeGrant(tx, input.id) }),
});

/** In the order of the OpenAPI document. */
export const approvalOperations: readonly Operation[] = [
  listApprovals,
  listApprovalGroups,
  decideApprovals,
  approve,
  deny,
  answer,
  listGrants,
  revokeGrant,
];
