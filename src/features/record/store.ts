/** What was recorded of a work item, as the actor may see it: the shapes of rows, and what reads them. */
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readValue } from '../../store/sql/read-value.ts';
import type { BudgetLeft } from '../../store/work/budgets.ts';

export const focus = row((s) =>
  s.z
    .object({
      id: s.id(),
      number: s.z.int(),
      phase: s.z.string(),
      resumes: s.z.int(),
      ended_as: s.z.string().nullable(),
      error: s.json(),
      started_at: s.time(),
      ended_at: s.time().nullable(),
    })
    .meta({ id: 'Focus' }),
);

/** All foci of an item, oldest first. */
export function readFoci(tx: Queryable, id: string): Promise<RowOf<typeof focus>[]> {
  return tx.query(
    `select id, number, phase, resumes, ended_as, error, started_at, ended_at from animus.visible_foci where work_item_id = $1::uuid order by number`,
    [id],
  );
}

export const turn = row((s) =>
  s.z
    .object({
      focus_id: s.id(),
      turn: s.z.int(),
      provider: s.z.string().nullable(),
      model: s.z.string().nullable(),
      response: s.json().describe('the content blocks of the answer; null while the model is being asked'),
      stop_reason: s.z.string().nullable(),
      usage: s.json().describe('tokens, as the provider counts them'),
      cost_usd: s.z.number().nullable().describe('null: not known'),
      begun_at: s.time(),
      recorded_at: s.time().nullable(),
      duration_ms: s.z.number().nullable(),
    })
    .meta({ id: 'Turn' }),
);

/** Turns after a turn of a focus, oldest first. */
export function readTurns(
  tx: Queryable,
  id: string,
  after: readonly [focusId: string, turn: number] | null,
  limit: number,
): Promise<RowOf<typeof turn>[]> {
  return tx.query(
    `select focus_id, turn, provider, model, response, stop_reason, usage, cost_usd::float8 as cost_usd, begun_at, recorded_at, duration_ms
       from animus.visible_turns
      where work_item_id = $1::uuid and ($2::uuid is null or (focus_id, turn) > ($2, $3::int)) order by focus_id, turn limit $4`,
    [id, ...(after ?? [null, 0]), limit],
  );
}

export const call = row((s) =>
  s.z
    .object({
      focus_id: s.id(),
      turn: s.z.int(),
      position: s.z.int(),
      call_id: s.z.string(),
      parent_call_id: s.z.string().nullable().describe('the call whose code made this one'),
      name: s.z.string(),
      origin: s.z.string(),
      state: s.z.string(),
      input: s.json().describe('as the model wrote it'),
      final_input: s.json().describe('what it ran with instead; null: its input'),
      output: s.z.string().nullable(),
      output_bytes: s.z.int().nullable(),
      is_error: s.z.boolean().nullable(),
      started_at: s.time().nullable(),
      ended_at: s.time().nullable(),
      duration_ms: s.z.number().nullable(),
    })
    .meta({ id: 'ToolCall' }),
);

/** Tool calls after a call of a turn, oldest first; `full`: whole outputs, else their first 2,000 characters. */
export function readCalls(
  tx: Queryable,
  id: string,
  after: readonly [focusId: string, turn: number, position: number, callId: string] | null,
  { full, limit }: { readonly full: boolean; readonly limit: number },
): Promise<RowOf<typeof call>[]> {
  return tx.query(
    `select focus_id, turn, position, call_id, parent_call_id, name, origin, state, input, final_input, left(output, $7::int) as output, output_bytes,
            is_error, started_at, ended_at, duration_ms
       from animus.visible_tool_calls
      where work_item_id = $1::uuid and ($2::uuid is null or (focus_id, turn, position, call_id) > ($2, $3::int, $4::int, $5))
      order by focus_id, turn, position, call_id limit $6`,
    [id, ...(after ?? [null, 0, 0, '']), limit, full ? WHOLE_CHARS : SHORT_CHARS],
  );
}

const SHORT_CHARS = 2000;
const WHOLE_CHARS = 10_000_000;

export const mail = row((s) =>
  s.z
    .object({
      id: s.z.string(),
      author: s.z.string(),
      author_is: s.z.enum(['operator', 'submitter', 'participant', 'duplicate']),
      text: s.z.string(),
      wake: s.z.boolean(),
      duplicate_id: s
        .id()
        .nullable()
        .describe('the item that was merged, of a duplicate; null also where that is work of somebody else'),
      created_at: s.time(),
      delivered_at: s.time().nullable(),
      focus_id: s.id().nullable(),
      turn: s.z.int().nullable().describe('the turn with which the model got it'),
      not_delivered: s.z.string().nullable().describe('why it was not delivered'),
    })
    .meta({ id: 'Mail' }),
);

/** The messages to an item after `after`, oldest first. */
export function readMail(tx: Queryable, id: string, after: string, limit: number): Promise<RowOf<typeof mail>[]> {
  return tx.query(
    `select id::text as id, author, author_is, text, wake, duplicate_id, created_at, delivered_at, focus_id, after_turn + 1 as turn, not_delivered
       from animus.visible_mail m where work_item_id = $1::uuid and m.id > $2::bigint order by m.id limit $3`,
    [id, after, limit],
  );
}

export const message = row((s) =>
  s.z
    .object({
      focus_id: s.id(),
      seq: s.z.int(),
      after_turn: s.z.int(),
      kind: s.z.string(),
      content: s.z.string(),
      tokens: s.z.int().nullable(),
      created_at: s.time(),
    })
    .meta({ id: 'ContextMessage' }),
);

/** What the engine wrote into the contexts of an item's foci, after a message, oldest first. */
export function readMessages(
  tx: Queryable,
  id: string,
  after: readonly [focusId: string, seq: number] | null,
  limit: number,
): Promise<RowOf<typeof message>[]> {
  return tx.query(
    `select focus_id, seq, after_turn, kind, content, tokens, created_at from animus.visible_messages
      where work_item_id = $1::uuid and ($2::uuid is null or (focus_id, seq) > ($2, $3::int)) order by focus_id, seq limit $4`,
    [id, ...(after ?? [null, 0]), limit],
  );
}

export const wait = row((s) =>
  s.z
    .object({
      call_id: s.z.string(),
      kind: s.z.string(),
      subject: s.z.string().nullable().describe('of what a person decides'),
      targets: s.z
        .array(s.id())
        .readonly()
        .nullable()
        .describe(
          'the child items that are waited for, and of merged ones the items that do their work, without work of others',
        ),
      deadline: s.time().nullable(),
      created_at: s.time(),
    })
    .meta({ id: 'Wait' }),
);

/** What an item waits for now, oldest first. */
export function readWaits(tx: Queryable, id: string): Promise<RowOf<typeof wait>[]> {
  return tx.query(
    `select call_id, kind, subject, targets, deadline, created_at from animus.visible_waits
      where work_item_id = $1::uuid and resolved_at is null order by created_at, call_id`,
    [id],
  );
}

export const activation = row((s) =>
  s.z
    .object({
      skill: s.z.string(),
      version: s.z.string().nullable(),
      content_hash: s.z.string(),
      reason: s.z.string(),
      focus_id: s.id().nullable(),
      activated_at: s.time(),
    })
    .meta({ id: 'SkillActivation' }),
);

/** The skills that an item has used, in the order of their activation. */
export function readActivations(tx: Queryable, id: string): Promise<RowOf<typeof activation>[]> {
  return tx.query(
    `select skill, version, content_hash, reason, focus_id, activated_at from animus.visible_skill_activations
      where work_item_id = $1::uuid order by activated_at, skill limit 1000`,
    [id],
  );
}

export const budgetLeft = row((s) =>
  s.z
    .object({
      scope: s.z.string(),
      subject: s.z.string(),
      unit: s.z.enum(['usd', 'tokens']),
      period: s.z.enum(['none', 'day', 'month']),
      ends: s.z.string().nullable().describe('when the period is over'),
      amount: s.z.number(),
      spent: s.z.number(),
      held: s.z.number().describe('for turns under way: their highest cost'),
      used: s.z.number().describe('both'),
      left: s.z.number(),
      on_exceeded: s.z.enum(['wait', 'die']),
    })
    .meta({ id: 'BudgetLeft' }),
);

/** The limits that apply to an item, with what is left of them; none for an item that the actor may not see. */
export async function readBudget(tx: Queryable, id: string): Promise<readonly BudgetLeft[]> {
  return (await readValue<BudgetLeft[] | null>(tx, 'select animus.visible_budget_left($1::uuid)', [id])) ?? [];
}
