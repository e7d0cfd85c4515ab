/** What one does with submitted work: cancel it, run it again, say something to it. */
import { z } from 'zod';
import { id, workState } from '../../operations/schemas.ts';
import { requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { cancelWork, retryWork } from '../../store/work/operate.ts';
import { sayWork } from '../../store/work/say-work.ts';
import { jsonRoute } from '../route/route.ts';

const params = z.strictObject({ id: id() });

export const cancelWorkRoute = jsonRoute({
  id: 'cancelWork',
  method: 'POST',
  path: '/work/{id}/cancel',
  tag: 'work',
  summary: 'Cancel an item and its children',
  scope: 'work',
  params,
  body: z.strictObject({ reason: z.string().optional() }),
  output: z.object({ id: id(), state: workState() }),
  errors: ['work.not_found', 'work.locked'],
  run: async ({ tx }, { path, body }) => {
    // Also of work that its caller does not read: an answer that was being given when they were invited.
    return { id: path.id, state: await cancelWork(tx, path.id, body.reason) };
  },
});

export const retryWorkRoute = jsonRoute({
  id: 'retryWork',
  method: 'POST',
  path: '/work/{id}/retry',
  tag: 'work',
  summary: 'Queue a dead or cancelled item again; for operators',
  scope: 'decide',
  params,
  body: z.strictObject({}),
  output: z.object({ id: id().describe('another item, if one with the same dedup key is active') }),
  errors: ['work.not_found', 'work.state'],
  run: async ({ tx }, { path }) => {
    await requireVisibleWork(tx, path.id);
    return { id: await retryWork(tx, path.id) };
  },
});

export const sayWorkRoute = jsonRoute({
  id: 'sayWork',
  method: 'POST',
  path: '/work/{id}/messages',
  tag: 'work',
  summary: 'Say something to an item; its model reads it before its next turn',
  scope: 'work',
  params,
  body: z.strictObject({
    text: z.string().min(1),
    wake: z.boolean().optional().describe('an item that waits goes on at once; default false'),
  }),
  status: 202,
  output: z.object({
    id: id().describe('of the item that got it: the one that it was merged into, if any'),
    message_id: z.string(),
    state: workState(),
  }),
  errors: ['work.not_found', 'work.state', 'work.invalid'],
  run: async ({ tx }, { path, body }) => {
    await requireVisibleWork(tx, path.id);
    const said = await sayWork(tx, path.id, body.text, body.wake);
    return { id: said.workItemId, message_id: said.messageId, state: said.state };
  },
});
