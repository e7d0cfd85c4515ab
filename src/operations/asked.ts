/** What waits for a person, as inbox, work and conversations show it: its shape, and how it is read. */
import type { Queryable } from '../store/sql/database.ts';
import { type RowOf, row } from './row.ts';

/** Something that waits for a person (`animus.visible_inbox`). */
export const asked = row((s) =>
  s.z
    .object({
      work_item_id: s.id().nullable(),
      faculty: s.z.string(),
      ask_id: s.id().describe('what a decision names; another request has another id'),
      call_id: s.z
        .string()
        .nullable()
        .describe('the call that waits, as its provider has named it; null where none waits'),
      kind: s.z.string(),
      subject: s.z.string(),
      request: s.jsonObject().describe('exactly what is to be decided, made from what is recorded'),
      hash: s.z.string().describe('binds a decision to this request'),
      asked_at: s.time(),
      deadline: s.time().nullable(),
      turn: s.z.int().nullable(),
      submitted_by: s.z.string().nullable(),
      description: s.z.string(),
      items: s.z
        .int()
        .describe(
          'how many work items wait for the same limit: a decision is about all of them (a denial ends 1,000 at most); 1 for anything else',
        ),
      work_items: s.z.array(s.id().nullable()).describe('the first hundred of them; with work_item_id, only that item'),
    })
    .meta({ id: 'Approval' }),
);
export type Asked = RowOf<typeof asked>;
/** The same of a work item. A skill that it has proposed may outlive it. */
export type AskedView = Asked & { readonly work_item_id: string };

const COLUMNS = `work_item_id, faculty, ask_id, call_id, kind, subject, request, hash, asked_at, deadline, turn, submitted_by, left(description, 300) as description, items`;

/** What an item asks people, oldest first; `id`: a full id. `limit`: default all. */
export async function readAsked(db: Queryable, id: string, limit: number | null = null): Promise<AskedView[]> {
  return db.query<AskedView>(
    `select ${COLUMNS}, array[work_item_id] as work_items from animus.visible_item_asks where work_item_id = $1::uuid order by asked_at, ask_id limit $2`,
    [id, limit],
  );
}

/** What all work asks that the actor may see, oldest first; what waits for one limit is one entry. */
export async function readInbox(db: Queryable, limit: number): Promise<Asked[]> {
  return db.query<Asked>(
    `select ${COLUMNS}, work_items from animus.visible_inbox order by asked_at, work_item_id, ask_id limit $1`,
    [limit],
  );
}

/** The requests with these ids that still wait, in their order. */
export async function readAsks(db: Queryable, asks: readonly string[]): Promise<Asked[]> {
  return db.query<Asked>(
    `select ${COLUMNS}, work_items from animus.visible_inbox where ask_id = any ($1::uuid[]) order by array_position($1::uuid[], ask_id)`,
    [asks],
  );
}
