/** A message as people see it. Ids are numbers as texts. */
export interface ChatMessage {
  readonly id: string;
  /** In its conversation, from 1 on. */
  readonly number: number;
  /** The number of the message that it stands for. */
  readonly replacesNumber: number | null;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string;
  /** Who wrote it; of an answer `faculty:NAME`. */
  readonly author: string;
  readonly createdAt: Date;
  /** The message that it stands for, after an edit, a retry or a later answer. */
  readonly replaces: string | null;
  /** The item that answers it, or that gave the answer. */
  readonly workItemId: string | null;
  /** It went into an answer that was being given. */
  readonly told: boolean;
  /** Of an answer: how its item ended. */
  readonly endedAs: 'completed' | 'dead' | 'cancelled' | null;
  /** The state of the item now. */
  readonly state: string | null;
  readonly attachments: readonly ChatAttachment[] | null;
}

export interface ChatAttachment {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** In the workspace of the conversation. */
  readonly path: string;
}
