/** Reads what became of messages to work. */
import type { Queryable } from '../../../src/store/sql/database.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';

export interface Mail {
  readonly text: string;
  readonly delivered: boolean;
  readonly after_turn: number | null;
  readonly not_delivered: string | null;
}

export function mailOf(db: Queryable, id: string): Promise<Mail[]> {
  return db.query<Mail & Record<string, unknown>>(
    `select text, delivered_at is not null as delivered, after_turn, not_delivered from animus.mailbox where work_item_id = $1 order by id`,
    [id],
  );
}

export async function messagesOf(db: Queryable, { key }: FocusedWork): Promise<string[]> {
  const rows = await db.query<{ content: string }>(
    `select content from animus.focus_messages where focus_id = $1 and kind = 'operator' order by seq`,
    [key.focusId],
  );
  return rows.map(({ content }) => content);
}
