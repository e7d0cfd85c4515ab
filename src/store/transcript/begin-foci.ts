/** Begins new foci, each with all that its first request needs, in one statement for many. */

import { activationsJson, type SkillMessage } from '../skills/focus-skills.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import { batchWrites } from '../sql/write-batcher.ts';
import type { TurnPermit } from './begin-turn.ts';
import type { EncodedSettings } from './focus-settings.ts';

/** A new focus on an item that had none before. */
export interface NewFocus {
  readonly workItemId: string;
  readonly leaseToken: string;
  /** A new UUID. */
  readonly focusId: string;
  readonly settings: EncodedSettings;
  /** Its first message. */
  readonly content: string;
  /** Of the message. */
  readonly tokens: number;
  /** Whether its first turn begins with it; false for a focus without a model. */
  readonly turn: boolean;
  /** What the request of that turn may cost at most; null: not known. */
  readonly reservedUsd: number | null;
  /** A UUID that names that request, as of `Reservation`; null: none is sent at once. */
  readonly request: string | null;
  /** What it begins with; their packages are stored. Default none. */
  readonly skills?: readonly SkillMessage[];
}

/**
 * Begins a focus; resolves when that is committed. Null: nothing was written, and `startFocus` has to be called, because the item has a
 * history, its row is locked, its lease is lost, or its settings or the packages of its skills are not stored.
 */
export type BeginNewFocus = (focus: NewFocus) => Promise<TurnPermit | null>;

/** Combines the new foci of a daemon: those that arrive while a statement is running share the next one, at most `most` of them. */
export function createFocusBeginner(
  db: Queryable,
  place: { readonly host: string; readonly directoryRoot: string },
  most = 100,
): BeginNewFocus {
  return batchWrites(async (foci: readonly NewFocus[]) => {
    const withSkills = foci.some(({ skills = [] }) => skills.length > 0);
    return readValue<(TurnPermit | null)[]>(
      db,
      `select animus.begin_foci($1::uuid[], $2::bigint[], $3::uuid[], $4, $5, $6::bytea[], $7::text[], $8::int[], $9::boolean[],
                                $10::numeric[], $11::uuid[], $12::jsonb)`,
      [
        foci.map((focus) => focus.workItemId),
        foci.map((focus) => focus.leaseToken),
        foci.map((focus) => focus.focusId),
        place.host,
        place.directoryRoot,
        foci.map((focus) => focus.settings.id),
        foci.map((focus) => toText(focus.content)),
        foci.map((focus) => focus.tokens),
        foci.map((focus) => focus.turn),
        foci.map((focus) => focus.reservedUsd),
        foci.map((focus) => focus.request),
        withSkills ? activationsJson(foci.map(({ skills = [] }) => skills)) : null,
      ],
    );
  }, most);
}
