/** Where the answer to a message begins: with the focus of the answer before, or with the recorded words. */

import type { ToolSpec } from '../../core/work/conversation.ts';
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';
import { FOCUS_ROW, type FocusRow } from '../transcript/focus-row.ts';
import type { Claimed } from '../work/work.ts';

/** Something that a person has said and the focus has to be told. */
export interface SaidWords {
  readonly id: number;
  readonly author: string;
  readonly text: string;
  /** To the minute, UTC. */
  readonly at: string;
  /** Null: none came with it. */
  readonly files: readonly NamedFile[] | null;
}

/** A file that came with a message, at its path in the workspace. */
export interface NamedFile {
  readonly id: string;
  readonly path: string;
  readonly media_type: string;
  readonly bytes: number;
}

/** The newest focus on the branch, with the settings that its chain has. */
export interface FocusBefore {
  readonly focus: string;
  /** The first focus of the chain. */
  readonly chain: string;
  /** Turns that the chain has recorded. */
  readonly turns: number;
  /** The images and documents of its requests and of the message; zeros if no files came with the message. */
  readonly media: { readonly files: number; readonly bytes: number };
  readonly faculty_snapshot: Readonly<Record<string, unknown>>;
  readonly system_prompt: string;
  readonly tools: readonly ToolSpec[];
}

export interface AnswerStart {
  readonly conversation: string;
  readonly title: string;
  /** Of its `.chat` file in the workspace. */
  readonly path: string;
  /** The message that is answered. */
  readonly message: number;
  readonly people: readonly string[];
  /** In order; the message that is answered is the last. */
  readonly said: readonly SaidWords[];
  /** Null: the first answer, or one after an edit, a deletion or a change of the faculty. */
  readonly before: FocusBefore | null;
}

/** Null for an item that answers no message. */
export async function readAnswerStart(db: Queryable, workItemId: string): Promise<AnswerStart | null> {
  return readValue<AnswerStart | null>(db, 'select animus.answer_start($1)', [workItemId]);
}

/** Words of a conversation before the message that is answered. */
export interface EarlierWords {
  readonly role: 'user' | 'assistant' | 'system';
  readonly author: string;
  readonly content: string;
  readonly endedAs: string | null;
  readonly files: readonly NamedFile[] | null;
  /** False: more was said before these words. */
  readonly whole: boolean;
}

/** What was said last on the branch before a message, oldest first, without what was deleted: as much as these bytes take, or a little more. */
export async function readNewestWords(db: Queryable, messageId: number, bytes: number): Promise<EarlierWords[]> {
  return db.query<EarlierWords>(
    'select role, author, content, ended_as as "endedAs", files, first as whole from animus.newest_words($1::bigint, $2)',
    [messageId, bytes],
  );
}

/**
 * Begins a focus that goes on with another one, or resumes the open one of the item. Null: the settings of that one are not stored any more, and
 * nothing was changed. Errors: `work.lease_lost`, `work.locked`.
 */
export async function continueFocus(
  db: Queryable,
  { id, leaseToken }: Claimed,
  { host, directoryRoot }: { readonly host: string; readonly directoryRoot: string },
  before: FocusBefore,
): Promise<FocusRow | null> {
  const begin = `select ${FOCUS_ROW} from animus.continue_focus($1, $2, $3, $4, $5)`;
  const [row] = await db.query<FocusRow>(begin, [id, leaseToken, host, directoryRoot, before.focus]);
  if (row === undefined) return null;
  if (row.resumes > 0) return row;
  const { faculty_snapshot: facultySnapshot, system_prompt: systemPrompt, tools } = before;
  return { ...row, facultySnapshot, systemPrompt, tools };
}
