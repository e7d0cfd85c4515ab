/** What was said to an item, what its foci were told and used, what it waits for, and what it may still cost. */
import { z } from 'zod';
import { pageOf } from '../../operations/page-of.ts';
import { id, limit, page, time } from '../../operations/schemas.ts';
import {
  readVisibleActivations,
  readVisibleMail,
  readVisibleMessages,
  readVisibleWaits,
} from '../../store/views/visible/visible-mail.ts';
import { readVisibleBudget } from '../../store/views/visible/visible-operated.ts';
import { requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { cursor, readCursor, writeCursor } from '../route/cursor.ts';
import { jsonRoute, type Route } from '../route/route.ts';

const params = z.strictObject({ id: id() });
const ofItem = { method: 'GET', tag: 'record', scope: 'read', params, errors: ['work.not_found'] } as const;

const mail = z
  .object({
    id: z.string(),
    author: z.string(),
    author_is: z.enum(['operator', 'submitter', 'participant', 'duplicate']),
    text: z.string(),
    wake: z.boolean(),
    duplicate_id: id()
      .nullable()
      .describe('the item that was merged, of a duplicate; null also where that is work of somebody else'),
    created_at: time(),
    delivered_at: time().nullable(),
    focus_id: id().nullable(),
    turn: z.int().nullable().describe('the turn with which the model got it'),
    not_delivered: z.string().nullable().describe('why it was not delivered'),
  })
  .meta({ id: 'Mail' });

const listMail = jsonRoute({
  ...ofItem,
  id: 'listMail',
  path: '/work/{id}/messages',
  summary: 'The messages to an item, oldest first, and when its model got each',
  query: z.strictObject({
    after: z
      .string()
      .regex(/^\d{1,18}$/)
      .default('0'),
    limit: limit(),
  }),
  output: page(mail),
  run: async ({ tx }, { path, query }) => {
    await requireVisibleWork(tx, path.id);
    const rows = await readVisibleMail(tx, path.id, query.after, query.limit + 1);
    return pageOf(rows, query.limit, (row) => row.id);
  },
});

const message = z
  .object({
    focus_id: id(),
    seq: z.int(),
    after_turn: z.int(),
    kind: z.string(),
    content: z.string(),
    tokens: z.int().nullable(),
    created_at: time(),
  })
  .meta({ id: 'ContextMessage' });

const MESSAGE = z.tuple([id(), z.int32()]);

const listContext = jsonRoute({
  ...ofItem,
  id: 'listContext',
  path: '/work/{id}/context',
  summary: 'What the engine wrote into the contexts of an item, oldest first',
  query: z.strictObject({ after: cursor().optional(), limit: limit() }),
  output: page(message),
  run: async ({ tx }, { path, query }) => {
    await requireVisibleWork(tx, path.id);
    const [focusId, seq] = query.after === undefined ? [] : readCursor(MESSAGE, query.after);
    const after = focusId === undefined || seq === undefined ? null : { focusId, seq };
    const rows = await readVisibleMessages(tx, path.id, after, query.limit + 1);
    return pageOf(rows, query.limit, (row) => writeCursor([row.focus_id, row.seq]));
  },
});

const wait = z
  .object({
    call_id: z.string(),
    kind: z.string(),
    subject: z.string().nullable().describe('of what a person decides'),
    targets: z
      .array(id())
      .readonly()
      .nullable()
      .describe(
        'the child items that are waited for, and of merged ones the items that do their work, without work of others',
      ),
    deadline: time().nullable(),
    created_at: time(),
  })
  .meta({ id: 'Wait' });

const listWaits = jsonRoute({
  ...ofItem,
  id: 'listWaits',
  path: '/work/{id}/waits',
  summary: 'What an item waits for now, oldest first',
  output: z.object({ items: z.array(wait) }),
  run: async ({ tx }, { path }) => {
    await requireVisibleWork(tx, path.id);
    return { items: await readVisibleWaits(tx, path.id) };
  },
});

const activation = z
  .object({
    skill: z.string(),
    version: z.string().nullable(),
    content_hash: z.string(),
    reason: z.string(),
    focus_id: id().nullable(),
    activated_at: time(),
  })
  .meta({ id: 'SkillActivation' });

const listActivations = jsonRoute({
  ...ofItem,
  id: 'listActivations',
  path: '/work/{id}/skills',
  summary: 'The skills that an item has used, and why',
  output: z.object({ items: z.array(activation) }),
  run: async ({ tx }, { path }) => {
    await requireVisibleWork(tx, path.id);
    return { items: await readVisibleActivations(tx, path.id) };
  },
});

const left = z
  .object({
    scope: z.string(),
    subject: z.string(),
    unit: z.enum(['usd', 'tokens']),
    period: z.enum(['none', 'day', 'month']),
    ends: z.string().nullable().describe('when the period is over'),
    amount: z.number(),
    spent: z.number(),
    held: z.number().describe('for turns under way: their highest cost'),
    used: z.number().describe('both'),
    left: z.number(),
    on_exceeded: z.enum(['wait', 'die']),
  })
  .meta({ id: 'BudgetLeft' });

const showBudget = jsonRoute({
  ...ofItem,
  id: 'showWorkBudget',
  path: '/work/{id}/budget',
  summary: 'The limits that apply to an item, and what is left of them',
  output: z.object({ items: z.array(left).readonly() }),
  run: async ({ tx }, { path }) => {
    await requireVisibleWork(tx, path.id);
    return { items: await readVisibleBudget(tx, path.id) };
  },
});

export const itemRoutes: readonly Route[] = [listMail, listContext, listWaits, listActivations, showBudget];
