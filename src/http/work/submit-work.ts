import { z } from 'zod';
import {
  facultyName,
  id,
  json,
  jsonObject,
  submitted,
  submittedItem,
  timeIn,
  warning,
  workState,
} from '../../operations/schemas.ts';
import { whyWaiting } from '../../store/views/waiting.ts';
import { submitWork } from '../../store/work/submit-work.ts';
import { jsonRoute } from '../route/route.ts';
import { unserved } from '../route/unserved.ts';

/** Files are at most 20 MiB together; base64 makes four bytes of three. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const attachment = z.strictObject({
  name: z.string().min(1).max(255),
  content: z.base64().describe('the bytes in base64; at most 10 MiB, and 20 MiB of all files'),
});

const newWork = z
  .strictObject({
    faculty: facultyName(),
    description: z.string().optional(),
    params: submitted(jsonObject()).optional(),
    skill: z.string().optional(),
    dedup_key: z
      .string()
      .optional()
      .describe('while an item of yours of the faculty with this key is active, this one merges into it'),
    concurrency_key: z.string().optional().describe('items with the same key run one after another'),
    priority: z.int32().optional().describe('higher runs first; default 0'),
    run_at: timeIn().optional().describe('not before this time'),
    parent_id: id().optional(),
    source: z.string().optional().describe('default http'),
    trigger_info: submitted(json()).optional(),
    batch: z.boolean().optional().describe('ask its turns in batches; default: as its faculty says'),
    detached: z.boolean().optional().describe('go on when the parent dies or is cancelled; default false'),
    attachments: z.array(attachment).max(20).optional(),
  })
  .meta({ id: 'NewWork' });

export const submitWorkRoute = jsonRoute({
  id: 'submitWork',
  method: 'POST',
  path: '/work',
  tag: 'work',
  summary: 'Submit a work item',
  scope: 'work',
  body: newWork,
  status: 201,
  output: z
    .object({ id: id(), state: workState(), merged_into: id().nullable(), warning: warning(), ...submittedItem() })
    .meta({ id: 'SubmittedWork' }),
  awaits: 'id',
  errors: ['work.not_found', 'work.invalid'],
  maxBodyBytes: MAX_BODY_BYTES,
  run: async ({ tx, traceparent }, { body }) => {
    const submitted = await submitWork(tx, {
      faculty: body.faculty,
      description: body.description,
      params: body.params,
      skill: body.skill,
      dedupKey: body.dedup_key,
      concurrencyKey: body.concurrency_key,
      priority: body.priority,
      runAt: body.run_at === undefined ? undefined : new Date(body.run_at),
      parentId: body.parent_id,
      source: body.source ?? 'http',
      triggerInfo: body.trigger_info,
      batch: body.batch,
      detached: body.detached,
      traceContext: traceparent ?? undefined,
      attachments: body.attachments?.map(({ name, content }) => ({ name, content: Buffer.from(content, 'base64') })),
    });
    return {
      id: submitted.id,
      state: submitted.state,
      merged_into: submitted.mergedInto,
      waiting: await whyWaiting(tx, submitted.id),
      ...(await unserved(tx, [body.faculty], 'the work waits')),
    };
  },
});
