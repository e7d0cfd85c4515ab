/** The messages of a context that no model wrote: of the engine, and of people to the work. */
import type { MediaBlock } from '../../core/work/conversation.ts';
import type { MessageKind } from '../../core/work/words.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import type { FocusKey } from './focus-row.ts';

/** A message by the engine: stands after the results of turn `afterTurn` (0: before the first turn). */
export interface EngineMessage {
  readonly afterTurn: number;
  readonly kind: MessageKind;
  readonly content: string;
  /** Only of a `stub` or `summary`: the first turn that stays verbatim. It stands for the turns before. */
  readonly keepsFrom?: number;
  /** Only of an `attachment` whose file is shown: the artifact, and the file itself where it was read to be sent. */
  readonly artifactId?: string;
  readonly media?: MediaBlock;
  /** Only of what was inherited from an earlier answer of the conversation: which one, from 1. */
  readonly era?: number;
}

/** Records a message before it is sent; returns it as it will be read back. */
export async function addMessage(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  message: EngineMessage,
  tokens: number,
): Promise<EngineMessage> {
  const content = toText(message.content);
  const { afterTurn, kind, keepsFrom = null } = message;
  const add = `select animus.add_message($1, $2, $3, $4, $5, $6, $7)`;
  await db.query(add, [focusId, leaseToken, afterTurn, kind, content, tokens, keepsFrom]);
  return { ...message, content };
}

/** What people have said to a focus after turn `afterTurn` (0: before the first one), in the order in which it stands in the context. */
export async function readMail(db: Queryable, focusId: string, afterTurn: number): Promise<EngineMessage[]> {
  return db.query<EngineMessage>(
    `select after_turn as "afterTurn", kind, content from animus.focus_messages
      where focus_id = $1 and after_turn = $2 and kind = 'operator' order by seq`,
    [focusId, afterTurn],
  );
}
