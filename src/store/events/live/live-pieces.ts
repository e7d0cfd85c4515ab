/** Pieces of answers and of what code prints, on their way from the daemon to watchers of the item. Never stored. */
import { z } from 'zod';
import { parsedJson } from '../../../core/text/json-values.ts';
import type { Queryable } from '../../sql/database.ts';
import { readValue } from '../../sql/read-value.ts';

/** A piece of an answer. */
export interface TextPiece {
  /** Which of the item's foci, by number. */
  readonly focus: number;
  readonly turn: number;
  /** How many characters of the answer precede this piece; 0 starts the answer, or restarts it. */
  readonly from: number;
  readonly text: string;
  /** True: it was sent before, and is sent again for those who have joined since. Others have it, unless they lost a piece. */
  readonly earlier?: boolean;
}

/** A piece of what the code of a call prints. */
export interface OutputPiece {
  readonly focus: number;
  readonly turn: number;
  /** The id of the call. */
  readonly call: string;
  readonly stream: 'stdout' | 'stderr';
  /** How many characters of the stream precede this piece. More than were sent: some were left out. */
  readonly from: number;
  readonly output: string;
}

/** What the channel of an item carries. */
export type LivePiece = TextPiece | OutputPiece;

/** Characters of one piece: NOTIFY carries less than 8,000 bytes, and JSON may make six of a character. */
export const MAX_PIECE_CHARS = 1200;

/** Sends a piece of at most MAX_PIECE_CHARS characters. Null when there are no watchers; otherwise a mark that changes when somebody joins. */
export async function tellWatchers(
  db: Queryable,
  focus: { readonly focusId: string; readonly leaseToken: string },
  piece: LivePiece,
): Promise<string | null> {
  return readValue<string | null>(db, `select animus.tell_watchers($1, $2, $3)`, [
    focus.focusId,
    focus.leaseToken,
    JSON.stringify('earlier' in piece && piece.earlier ? { ...piece, earlier: piece.text, text: undefined } : piece),
  ]);
}

/** Watches the item and returns the channel that carries its texts: `channel`, or that of an earlier watcher; null: it has ended. Errors: `work.not_found`. */
export async function watchTexts(db: Queryable, id: string, channel: string): Promise<string | null> {
  return readValue<string | null>(db, `select animus.watch_texts($1::uuid, $2)`, [id, channel]);
}

const place = { focus: z.int(), turn: z.int(), from: z.int() };
const PIECE = z.union([
  z.object({ ...place, text: z.string() }),
  // If its field were called text, an animus of the release before would take it for an answer that begins again.
  z
    .object({ ...place, earlier: z.string() })
    .transform(({ earlier: text, ...rest }): TextPiece => ({ ...rest, text, earlier: true })),
  // No field is called text, for the same reason.
  z.object({ ...place, call: z.string(), stream: z.enum(['stdout', 'stderr']), output: z.string() }),
]);

/** The piece that a notification carries; null if it is none. */
export function readPiece(payload: string): LivePiece | null {
  const piece = PIECE.safeParse(parsedJson(payload));
  return piece.success ? piece.data : null;
}
