/** What can be done with work items. */
import { flag, id, limit, optional, other, terminalOnly, text, time, whole } from '../../operations/fields.ts';
import { ADDS, DECIDES, READS, smallPage } from '../../operations/mcp-offer.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { pageOf } from '../../operations/page-of.ts';
import { listWork as listRows, readWork } from '../../operations/read-work.ts';
import { workItem, workSummary } from '../../operations/work-rows.ts';
import { requireVisibleWork } from '../../store/views/views-of-login.ts';
import * as store from '../../store/work/operate.ts';
import { sayWork as say } from '../../store/work/say-work.ts';
import { showActivity } from './activity.ts';
import { cancelMatchingWork, retryMatchingWork } from './bulk.ts';
import { countWork, listWork } from './list.ts';
import { submitWork } from './submit.ts';

const state = optional(other((s) => s.workState()));

const showWork = operation({
  name: 'showWork',
  tag: 'work',
  summary: 'One work item',
  scope: 'read',
  http: { method: 'GET', path: '/work/{id}' },
  input: { id: id() },
  output: workItem,
  errors: ['work.not_found'],
  mcp: {
    name: 'show_work',
    description: 'One work item: its state, its outcome, what it cost, and, in "waiting", why it does not go on now.',
    hints: READS,
  },
  run: async ({ tx, views }, input) => readWork(tx, input.id, await views()),
});

const listChildren = operation({
  name: 'listChildren',
  tag: 'work',
  summary: 'The child work of an item, newest first',
  scope: 'read',
  http: { method: 'GET', path: '/work/{id}/children' },
  input: { id: id(), state, after: optional(id()), limit: limit() },
  output: (s) => s.page(workSummary(s)),
  errors: ['work.not_found'],
  mcp: {
    name: 'list_children',
    description: 'The child work of an item, newest first.',
    hints: READS,
    instead: smallPage,
  },
  async run({ tx, views }, { id: parentId, limit: most, ...filter }) {
    const from = await views();
    await requireVisibleWork(tx, parentId, from);
    return pageOf(await listRows(tx, { ...filter, parentId, limit: most + 1 }, from), most, (row) => row.id);
  },
});

export const cancelWork = operation({
  name: 'cancelWork',
  tag: 'work',
  summary: 'Cancel an item and its children',
  scope: 'work',
  http: { method: 'POST', path: '/work/{id}/cancel' },
  input: { id: id(), reason: optional(text()) },
  output: (s) => s.z.object({ id: s.id(), state: s.workState() }),
  errors: ['work.not_found', 'work.locked'],
  mcp: { name: 'cancel_work', description: 'Cancel an item and its children.', hints: DECIDES },
  // Also of work that its caller does not read: an answer that was being given when they were invited.
  run: async ({ tx }, input) => ({ id: input.id, state: await store.cancelWork(tx, input.id, input.reason) }),
});

export const retryWork = operation({
  name: 'retryWork',
  tag: 'work',
  summary: 'Queue a dead or cancelled item again; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/work/{id}/retry' },
  input: { id: id() },
  output: (s) => s.z.object({ id: s.id().describe('another item, if one with the same dedup key is active') }),
  errors: ['work.not_found', 'work.state'],
  async run({ tx, views }, input) {
    await requireVisibleWork(tx, input.id, await views());
    return { id: await store.retryWork(tx, input.id) };
  },
});

export const changeWork = operation({
  name: 'changeWork',
  tag: 'work',
  summary: 'Change the priority, the time or the description of queued or scheduled work',
  scope: 'work',
  http: { method: 'PATCH', path: '/work/{id}' },
  input: {
    id: id(),
    priority: optional(whole({ min: -2_147_483_648, max: 2_147_483_647, description: 'higher runs first' })),
    run_at: optional(time({ ahead: true, description: 'not before this time; in the past: as soon as possible' })),
    description: optional(text({ description: 'only before its first focus' })),
    updated_at: optional(
      time({ description: 'as you have read it: if the item has changed since, it stays as it is (409)' }),
    ),
  },
  output: (s) => s.z.object({ id: s.id(), state: s.workState(), updated_at: s.time() }),
  errors: ['work.not_found', 'work.state', 'work.invalid', 'work.locked'],
  async run({ tx, views }, { id: itemId, run_at: runAt, updated_at: seen, ...change }) {
    await requireVisibleWork(tx, itemId, await views());
    return { id: itemId, ...(await store.changeWork(tx, itemId, { ...change, runAt, seen })) };
  },
});

export const sayWork = operation({
  name: 'sayWork',
  tag: 'work',
  summary: 'Say something to an item; its model reads it before its next turn',
  scope: 'work',
  http: { method: 'POST', path: '/work/{id}/messages', status: 202 },
  input: {
    id: id(),
    text: text({ min: 1 }),
    file: terminalOnly(text()),
    wake: optional(flag({ description: 'an item that waits goes on at once; default false' })),
  },
  output: (s) =>
    s.z.object({
      id: s.id().describe('of the item that got it: the one that it was merged into, if any'),
      message_id: s.z.string(),
      state: s.workState(),
    }),
  errors: ['work.not_found', 'work.state', 'work.invalid'],
  mcp: {
    name: 'say_to_work',
    description: 'Say something to an item that has not ended; its agent reads it before its next turn.',
    hints: ADDS,
  },
  async run({ tx, views }, input) {
    await requireVisibleWork(tx, input.id, await views());
    const said = await say(tx, input.id, input.text, input.wake);
    return { id: said.workItemId, message_id: said.messageId, state: said.state };
  },
});

/** In the order of the OpenAPI document. */
export const workOperations: readonly Operation[] = [
  submitWork,
  listWork,
  countWork,
  showWork,
  listChildren,
  cancelWork,
  retryWork,
  changeWork,
  sayWork,
  cancelMatchingWork,
  retryMatchingWork,
  showActivity,
];
