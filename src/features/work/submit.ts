/** Submitting work. */
import {
  facultyName,
  flag,
  id,
  json,
  jsonObject,
  list,
  optional,
  other,
  text,
  time,
  whole,
} from '../../operations/fields.ts';
import { ADDS } from '../../operations/mcp-offer.ts';
import { operation } from '../../operations/operation.ts';
import { submittedItem } from '../../operations/work-rows.ts';
import { submitShownWork } from '../../store/work/submit-work.ts';

/** Files are at most 20 MiB together; base64 makes four bytes of three. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const attachment = other(({ z }) =>
  z.strictObject({
    name: z.string().min(1).max(255),
    content: z.base64().describe('the bytes in base64; at most 10 MiB, and 20 MiB of all files'),
  }),
);

export const submitWork = operation({
  name: 'submitWork',
  tag: 'work',
  summary: 'Submit a work item',
  scope: 'work',
  http: {
    method: 'POST',
    path: '/work',
    status: 201,
    body: 'NewWork',
    awaits: 'id',
    streams: true,
    maxBodyBytes: MAX_BODY_BYTES,
    oneStatement: true,
  },
  input: {
    faculty: facultyName(),
    description: optional(text()),
    params: optional(jsonObject()),
    skill: optional(text()),
    dedup_key: optional(
      text({ description: 'while an item of yours of the faculty with this key is active, this one merges into it' }),
    ),
    concurrency_key: optional(text({ description: 'items with the same key run one after another' })),
    priority: optional(whole({ min: -2_147_483_648, max: 2_147_483_647, description: 'higher runs first; default 0' })),
    run_at: optional(time({ ahead: true, description: 'not before this time' })),
    parent_id: optional(id()),
    source: optional(text({ description: 'default http' })),
    trigger_info: optional(json()),
    batch: optional(flag({ description: 'ask its turns in batches; default: as its faculty says' })),
    detached: optional(flag({ description: 'go on when the parent dies or is cancelled; default false' })),
    attachments: optional(list(attachment, { max: 20 })),
  },
  output: (s) =>
    s.z
      .object({
        id: s.id(),
        state: s.workState(),
        merged_into: s.id().nullable(),
        warning: s.warning(),
        ...submittedItem(s),
      })
      .meta({ id: 'SubmittedWork' }),
  errors: ['work.not_found', 'work.invalid'],
  mcp: {
    name: 'submit_work',
    description:
      'Submit a work item to a faculty: an agent does it in the background. Returns its id; then call wait_for_work. With the same dedup_key, a repetition merges into the active item.',
    hints: ADDS,
    without: ['attachments', 'source', 'trigger_info'],
    defaults: { source: 'mcp' },
  },
  async run({ tx, traceparent, visitor, unserved }, input) {
    const {
      id: item,
      state,
      mergedInto,
      waiting,
      served,
    } = await submitShownWork(tx, {
      faculty: input.faculty,
      description: input.description,
      params: input.params,
      skill: input.skill,
      dedupKey: input.dedup_key,
      concurrencyKey: input.concurrency_key,
      priority: input.priority,
      runAt: input.run_at,
      parentId: input.parent_id,
      source: input.source ?? (visitor === null ? 'cli' : 'http'),
      triggerInfo: input.trigger_info,
      batch: input.batch,
      detached: input.detached,
      traceContext: traceparent ?? undefined,
      attachments: input.attachments?.map(({ name, content }) => ({ name, content: Buffer.from(content, 'base64') })),
    });
    const warned = await unserved([input.faculty], { until: 'the work waits', served });
    return { id: item, state, merged_into: mergedInto, waiting, ...warned };
  },
});
