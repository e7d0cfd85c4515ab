/** Memories: stored, changed and forgotten by the focus of a work item, or by a person. SQL decides who may (functions/memory/memories.sql). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

/** How far a memory reaches: the tree of work of one task, with which it is deleted; a project; or everywhere. */
export const MEMORY_LAYERS = ['task', 'project', 'global'] as const;
export type MemoryLayer = (typeof MEMORY_LAYERS)[number];

/** The focus that writes: fenced by its lease, and named by the memory's source. */
export interface MemoryFocus {
  readonly workItemId: string;
  readonly leaseToken: string;
  readonly focusId: string;
  readonly callId?: string;
}

/** Work for which a person stores a memory; without it, the memory is the person's own. */
export type MemoryWriter = MemoryFocus | { readonly workItemId: string } | null;

/** What may be said about a memory. */
export interface MemoryParts {
  /** A word such as fact, preference, procedure or lesson; default fact. */
  readonly kind?: string | undefined;
  /** At most 20, of at most 100 characters each; kept in lower case. */
  readonly tags?: readonly string[] | undefined;
  /** A JSON object of at most 8 KiB. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The entry of the work item's ledger that it comes from; default the newest. */
  readonly ledgerEntry?: number | undefined;
}

export interface NewMemory extends MemoryParts {
  /** At most 32 KiB. */
  readonly content: string;
  /** Default global. */
  readonly layer?: MemoryLayer | undefined;
  /** Of layer project; default: `project` in the params of the work item. */
  readonly project?: string | undefined;
  /** True: everybody's; operators only. Default: the submitter's of the work item, or the actor's. */
  readonly everybody?: boolean | undefined;
}

/** Stores a memory; `merged`: the same place has the same text already, and the memory there got the new tags and source. */
export async function storeMemory(
  db: Queryable,
  memory: NewMemory,
  writer: MemoryWriter,
): Promise<{ readonly id: string; readonly merged: boolean }> {
  const [row] = await db.query<{ id: string; merged: boolean }>(
    `select memory_id as id, merged from animus.store_memory($1, $2, $3, $4, $5::text[], $6::jsonb, $7, $8, $9, $10, $11, $12)`,
    [
      storable(memory.content),
      memory.kind ?? 'fact',
      memory.layer ?? 'global',
      memory.project === undefined ? null : storable(memory.project),
      (memory.tags ?? []).map(storable),
      toJsonb(memory.metadata ?? {}),
      writer?.workItemId ?? null,
      memory.everybody ?? false,
      ...writtenBy(writer),
      memory.ledgerEntry ?? null,
    ],
  );
  return row!;
}

/** What an update did: `id` is another one if the memory was merged into that before; `mergedIds`: the memories that were merged into it now. */
export interface UpdatedMemory {
  readonly id: string;
  readonly mergedIds: readonly string[];
}

/**
 * Changes what is given. `merge`: a memory of the same place that says the same, and becomes part of this one. A memory with the same text
 * does so without being named.
 */
export async function updateMemory(
  db: Queryable,
  id: string,
  changes: MemoryParts & { readonly content?: string | undefined; readonly merge?: string | undefined },
  writer: MemoryFocus | null,
): Promise<UpdatedMemory> {
  const [row] = await db.query<UpdatedMemory>(
    `select memory_id as id, merged_ids as "mergedIds" from animus.revise_memory($1, $2, $3, $4::text[], $5::jsonb, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      changes.content === undefined ? null : storable(changes.content),
      changes.kind ?? null,
      changes.tags?.map(storable) ?? null,
      changes.metadata === undefined ? null : toJsonb(changes.metadata),
      writer?.workItemId ?? null,
      ...writtenBy(writer),
      changes.ledgerEntry ?? null,
      changes.merge ?? null,
    ],
  );
  return row!;
}

/**
 * Deletes a memory with its history and returns its id. Of a person, `reason` is recorded as a decision. Its text stays in the records of the work
 * that stored or found it: `animus.redact_memory` takes it out of them.
 */
export async function forgetMemory(
  db: Queryable,
  id: string,
  reason: string,
  writer: MemoryFocus | null,
): Promise<string> {
  return readValue<string>(db, `select animus.forget_memory($1, $2, $3, $4)`, [
    id,
    toText(reason),
    writer?.workItemId ?? null,
    writer?.leaseToken ?? null,
  ]);
}

/** Counts that a focus was given these memories; approximate. */
export async function noteMemoryUses(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.query('select animus.note_memory_uses($1::uuid[])', [ids]);
}

/** Token, focus and call. */
function writtenBy(writer: MemoryWriter): readonly (string | null)[] {
  if (writer === null || !('leaseToken' in writer)) return [null, null, null];
  return [writer.leaseToken, writer.focusId, writer.callId ?? null];
}

/** As Postgres can store it, and composed (NFC), so that texts that look the same are the same. */
function storable(text: string): string {
  return toText(text).normalize('NFC');
}
