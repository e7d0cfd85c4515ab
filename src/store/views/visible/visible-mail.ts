/** What was said to a work item, what it used and what it waits for, as the actor may see it. Rows keep the names of their columns. */
import type { Queryable } from '../../sql/database.ts';

export interface VisibleMail {
  /** Grows with each message. */
  readonly id: string;
  readonly author: string;
  readonly author_is: 'operator' | 'submitter' | 'participant' | 'duplicate';
  readonly text: string;
  readonly wake: boolean;
  /** The item that was merged, of a duplicate. */
  readonly duplicate_id: string | null;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
  readonly focus_id: string | null;
  /** The turn with which the model got it. */
  readonly turn: number | null;
  /** Why it was not delivered, where that is recorded. */
  readonly not_delivered: string | null;
}

/** The messages to an item after `after`, oldest first. */
export async function readVisibleMail(tx: Queryable, id: string, after: string, limit: number): Promise<VisibleMail[]> {
  return tx.query<VisibleMail>(
    `select id::text as id, author, author_is, text, wake, duplicate_id, created_at, delivered_at, focus_id, after_turn + 1 as turn, not_delivered
       from animus.visible_mail m where work_item_id = $1::uuid and m.id > $2::bigint order by m.id limit $3`,
    [id, after, limit],
  );
}

export interface VisibleMessage {
  readonly focus_id: string;
  readonly seq: number;
  readonly after_turn: number;
  readonly kind: string;
  readonly content: string;
  readonly tokens: number | null;
  readonly created_at: Date;
}

/** What the engine wrote into the contexts of an item's foci, after a message, oldest first. */
export async function readVisibleMessages(
  tx: Queryable,
  id: string,
  after: { readonly focusId: string; readonly seq: number } | null,
  limit: number,
): Promise<VisibleMessage[]> {
  return tx.query<VisibleMessage>(
    `select focus_id, seq, after_turn, kind, content, tokens, created_at from animus.visible_messages
      where work_item_id = $1::uuid and ($2::uuid is null or (focus_id, seq) > ($2, $3::int)) order by focus_id, seq limit $4`,
    [id, after?.focusId ?? null, after?.seq ?? 0, limit],
  );
}

export interface VisibleWait {
  readonly call_id: string;
  readonly kind: string;
  /** Of what a person decides. */
  readonly subject: string | null;
  /** The child items that are waited for. */
  readonly targets: readonly string[] | null;
  readonly deadline: Date | null;
  readonly created_at: Date;
}

/** What an item waits for now, oldest first. */
export async function readVisibleWaits(tx: Queryable, id: string): Promise<VisibleWait[]> {
  return tx.query<VisibleWait>(
    `select call_id, kind, subject, targets, deadline, created_at from animus.visible_waits
      where work_item_id = $1::uuid and resolved_at is null order by created_at, call_id`,
    [id],
  );
}

export interface VisibleActivation {
  readonly skill: string;
  /** As its author wrote it; null: none. */
  readonly version: string | null;
  readonly content_hash: string;
  readonly reason: string;
  readonly focus_id: string | null;
  readonly activated_at: Date;
}

/** The skills that an item has used, in the order of their activation. */
export async function readVisibleActivations(tx: Queryable, id: string): Promise<VisibleActivation[]> {
  return tx.query<VisibleActivation>(
    `select skill, version, content_hash, reason, focus_id, activated_at from animus.visible_skill_activations
      where work_item_id = $1::uuid order by activated_at, skill limit 1000`,
    [id],
  );
}
