/** What waits for a person, and what an operator decides about it. */
import { z } from 'zod';
import { readVisibleInbox } from '../../store/views/visible-appliance.ts';
import { answerQuestion, approve, deny } from '../../store/work/decide.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { id, json, jsonObject, time } from '../route/schemas.ts';

const params = z.strictObject({ id: id() });
const waiting = z
  .object({
    work_item_id: id().nullable(),
    faculty: z.string(),
    call_id: z.string().describe('the name of the call or wait; `skill:NAME` for a proposed skill'),
    kind: z.string(),
    subject: z.string(),
    request: jsonObject().describe('exactly what is to be decided, made from what is recorded'),
    hash: z.string().describe('binds a decision to this request'),
    asked_at: time(),
    deadline: time().nullable(),
    turn: z.int().nullable(),
    submitted_by: z.string().nullable(),
    description: z.string(),
  })
  .meta({ id: 'Approval' });

const listApprovals = jsonRoute({
  id: 'listApprovals',
  method: 'GET',
  path: '/approvals',
  tag: 'approvals',
  summary: 'What waits for a person, oldest first',
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

const decision = {
  call_id: z.string().min(1).optional().describe('may be left out if only one fits'),
  note: z.string().optional(),
  hash: z.string().optional().describe('refused with 409 if something else waits by now'),
};
const decided = z.object({ work_item_id: id(), call_id: z.string() });

const approveRoute = jsonRoute({
  id: 'approve',
  method: 'POST',
  path: '/work/{id}/approve',
  tag: 'approvals',
  summary: 'Approve what waits; for operators',
  scope: 'decide',
  params,
  body: z.strictObject({ ...decision, input: json().optional().describe('the call runs with this input instead') }),
  output: decided,
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, { path, body }) => {
    const { call_id: callId, note, hash } = body;
    const input = body.input === undefined ? undefined : JSON.stringify(body.input);
    return { work_item_id: path.id, call_id: await approve(tx, path.id, { callId, note, hash, input }) };
  },
});

const denyRoute = jsonRoute({
  id: 'deny',
  method: 'POST',
  path: '/work/{id}/deny',
  tag: 'approvals',
  summary: 'Deny what waits; the model gets the note; for operators',
  scope: 'decide',
  params,
  body: z.strictObject(decision),
  output: decided,
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, { path, body }) => {
    const { call_id: callId, note, hash } = body;
    return { work_item_id: path.id, call_id: await deny(tx, path.id, { callId, note, hash }) };
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
  body: z.strictObject({ text: z.string().min(1), call_id: decision.call_id }),
  output: decided,
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  run: async ({ tx }, { path, body }) => {
    return { work_item_id: path.id, call_id: await answerQuestion(tx, path.id, body.text, body.call_id) };
  },
});

export const approvalRoutes: readonly Route[] = [listApprovals, approveRoute, denyRoute, answerRoute];
