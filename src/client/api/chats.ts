// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { List } from '../list.ts';
import type { CallOptions, EventOptions, RawOptions } from '../options.ts';
import type {
  ApprovalEvent,
  CallEvent,
  ClosedHint,
  DoneEvent,
  ErrorEvent,
  LedgerEvent,
  MessageEvent,
  ObservationEvent,
  OutputHint,
  PositionHint,
  StateEvent,
  StateHint,
  TextEvent,
  TextHint,
  ThoughtEvent,
  TurnEvent,
  Waiting,
  WaitingEvent,
  WithdrawnHint,
  WorkItem,
  WorkState,
} from './shared.ts';

export interface ExportedMessage {
  /** In its conversation, from 1 on: the number that people see. */
  readonly number: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string;
  /** Of an answer `faculty:NAME`. */
  readonly author: string;
  readonly created_at: string;
  /** It went into an answer that was being given. */
  readonly told: boolean;
  /** Of an answer. */
  readonly ended_as: 'completed' | 'dead' | 'cancelled' | null;
  /** Of the item, now. */
  readonly state: WorkState | null;
  readonly attachments: readonly ChatAttachment[] | null;
  readonly id: number;
  /** The id of the message that it replaces. */
  readonly replaces: number | null;
  /** The item that answers it, or that gave the answer. */
  readonly work_item: string | null;
}

export interface ChatAttachment {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** In the workspace. */
  readonly path: string;
}

export interface NewChat {
  /** The faculty that answers, default assistant; a daemon has to serve it, or messages wait. */
  readonly faculty?: string | undefined;
  readonly title?: string | undefined;
  /** Of its file; default: chats/ID.chat. */
  readonly path?: string | undefined;
  /** A message that comes while an answer is running: answered next, or passed to that answer. */
  readonly while_answering?: 'queue' | 'tell' | undefined;
}

export interface ChatWithPeople {
  /** Also the id of its file. */
  readonly id: string;
  readonly workspace_id: string;
  /** Of its file in the workspace. */
  readonly path: string;
  readonly title: string;
  readonly faculty: string;
  /** A message that comes while an answer is running: answered next, or passed to that answer. */
  readonly while_answering: 'queue' | 'tell';
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly people: readonly string[];
  /** Those of the people who are owners. */
  readonly owners: readonly string[];
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
}

export interface Chat {
  /** Also the id of its file. */
  readonly id: string;
  readonly workspace_id: string;
  /** Of its file in the workspace. */
  readonly path: string;
  readonly title: string;
  readonly faculty: string;
  /** A message that comes while an answer is running: answered next, or passed to that answer. */
  readonly while_answering: 'queue' | 'tell';
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ChatFile {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** In the workspace. */
  readonly path: string;
  readonly created_at: string;
  readonly message_id: string;
}

export interface NewChatMessage {
  readonly content: string;
  /** Of the work item. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly attachments?:
    | readonly {
        readonly name: string;
        /** The bytes in base64; at most 10 MiB, and 20 MiB of all files. */
        readonly content: string;
      }[]
    | undefined;
}

export interface SaidMessage {
  readonly message_id: string;
  /** In its conversation, from 1 on: the number that people see. */
  readonly number: number;
  /** The item that answers it; if it was told, the one that it was told to. */
  readonly work_item_id: string;
  /** It went into the answer that is being given, and has no item of its own. */
  readonly told: boolean;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: Waiting | null;
  /** With `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it. */
  readonly item?: WorkItem | undefined;
}

export interface ChatMessage {
  readonly id: string;
  /** In its conversation, from 1 on: the number that people see. */
  readonly number: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string;
  /** Of an answer `faculty:NAME`. */
  readonly author: string;
  readonly created_at: string;
  /** The message that it replaces, after an edit or a retry. */
  readonly replaces: string | null;
  /** The item that answers it, or that gave the answer. */
  readonly work_item_id: string | null;
  /** It went into an answer that was being given. */
  readonly told: boolean;
  /** Of an answer. */
  readonly ended_as: 'completed' | 'dead' | 'cancelled' | null;
  /** Of the item, now. */
  readonly state: WorkState | null;
  readonly attachments: readonly ChatAttachment[] | null;
}

export type ChatEvent =
  | SaidEvent
  | AnsweredEvent
  | DeletedEvent
  | RetriedEvent
  | PeopleEvent
  | ConversationEvent
  | StateEvent
  | TurnEvent
  | ThoughtEvent
  | TextEvent
  | CallEvent
  | ObservationEvent
  | LedgerEvent
  | MessageEvent
  | WaitingEvent
  | ApprovalEvent
  | ErrorEvent
  | DoneEvent
  | TextHint
  | WithdrawnHint
  | OutputHint
  | StateHint
  | ClosedHint
  | ChatMissedHint
  | PositionHint;

/** Somebody said something, or a message was imported. */
export interface SaidEvent {
  readonly type: 'said';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  /** Of the message in its conversation, from 1 on. */
  readonly number: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly author: string;
  /** The first 262,144 characters; null: it has been deleted since. */
  readonly text: string | null;
  /** How many characters come after these; only where some do. */
  readonly left_out?: number | undefined;
  /** Of an imported message before the event. */
  readonly said_at: string;
  /** The message of a person before it on its branch; of an answer, its message. */
  readonly after: string | null;
  /** The message that an edit or a retry replaces, or the answer before a retry by an operator. */
  readonly replaces: string | null;
  /** It went into the answer of that item. */
  readonly told: boolean;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly media_type: string;
    readonly bytes: number;
  }[];
}

/** An answer ended, and is a message of the conversation now. All events of its item, up to `done`, come before it. */
export interface AnsweredEvent {
  readonly type: 'answered';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  /** Of the message in its conversation, from 1 on. */
  readonly number: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly author: string;
  /** The first 262,144 characters; null: it has been deleted since. */
  readonly text: string | null;
  /** How many characters come after these; only where some do. */
  readonly left_out?: number | undefined;
  /** Of an imported message before the event. */
  readonly said_at: string;
  /** The message of a person before it on its branch; of an answer, its message. */
  readonly after: string | null;
  /** The message that an edit or a retry replaces, or the answer before a retry by an operator. */
  readonly replaces: string | null;
  /** It went into the answer of that item. */
  readonly told: boolean;
  readonly attachments: readonly {
    readonly id: string;
    readonly name: string;
    readonly media_type: string;
    readonly bytes: number;
  }[];
  /** `completed`, `dead`, `cancelled`. */
  readonly ended_as: string;
}

/** A message or an answer was deleted. */
export interface DeletedEvent {
  readonly type: 'deleted';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  /** Who did it. */
  readonly by: string | null;
}

/** An operator retried the answer to a message, which had failed or was cancelled. */
export interface RetriedEvent {
  readonly type: 'retried';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  /** The id of the message. */
  readonly message_id: string;
  /** Who did it. */
  readonly by: string | null;
}

/** Somebody takes part from now on (`joined`), has another role, or no longer takes part. */
export interface PeopleEvent {
  readonly type: 'people';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  readonly actor: string;
  readonly joined: boolean;
  /** From now on; null: they left, or before there were roles. */
  readonly role: 'owner' | 'member' | null;
  /** Who did it. */
  readonly by: string | null;
}

/** Faculty, title or `while_answering` were changed; these are the new ones. */
export interface ConversationEvent {
  readonly type: 'conversation';
  /** A reader goes on after it. */
  readonly id: string;
  readonly at: string;
  readonly work_item_id: string | null;
  readonly faculty: string;
  readonly title: string;
  readonly while_answering: 'queue' | 'tell';
  /** Who did it. */
  readonly by: string | null;
}

/** The reader was too slow: hints were left out. Recorded events follow without a gap. */
export interface ChatMissedHint {
  readonly type: 'missed';
  readonly live: true;
  readonly chat_id: string;
}

export interface ExportChatInput {
  /** Of the export. */
  readonly format?: 'jsonl' | 'markdown' | undefined;
}

export interface ListChatsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ChangeChatInput {
  readonly faculty?: string | undefined;
  readonly title?: string | undefined;
  /** A message that comes while an answer is running: answered next, or passed to that answer. */
  readonly while_answering?: 'queue' | 'tell' | undefined;
}

export interface DeleteChatOutput {
  readonly id: string;
}

export interface InviteToChatInput {
  /** Person:NAME, or a login of the database. */
  readonly actor: string;
  /** By default as before, `member` for somebody new. */
  readonly role?: 'owner' | 'member' | undefined;
}

export interface InviteToChatOutput {
  readonly changed: boolean;
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
}

export interface RemoveFromChatOutput {
  readonly changed: boolean;
}

export interface ListChatAttachmentsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ImportChatInput {
  /** The text of an export, JSON Lines or Markdown. */
  readonly content: string;
  readonly faculty?: string | undefined;
  readonly title?: string | undefined;
}

export interface ImportChatOutput {
  readonly id: string;
  readonly messages: number;
}

export interface ListChatMessagesInput {
  /** Newest: the first page has the last messages, the next pages those before them. */
  readonly order?: 'oldest' | 'newest' | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface DeleteChatMessageOutput {
  readonly deleted: boolean;
}

export interface EditChatMessageInput {
  readonly content: string;
}

/** The methods `client.chats`. */
export interface ChatsMethods {
  /**
   * The branch that is shown, as JSON Lines or as Markdown. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats/{chat_id}/export`
   */
  export(id: string, chatId: string, input?: ExportChatInput, options?: CallOptions): Promise<Response>;
  /**
   * Begin a conversation with a faculty. Needs a token of scope `work`.
   *
   * `POST /workspaces/{id}/chats`
   */
  start(id: string, input: NewChat, options?: CallOptions): Promise<ChatWithPeople>;
  /**
   * The conversations of a workspace in which you take part, newest first. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats`
   */
  list(id: string, input?: ListChatsInput, options?: CallOptions): List<Chat>;
  /**
   * One conversation, and who takes part. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats/{chat_id}`
   */
  show(id: string, chatId: string, options?: CallOptions): Promise<ChatWithPeople>;
  /**
   * Change the faculty, the title or the order of a conversation; for its owners, and operators. Needs a token of scope `work`.
   *
   * `PATCH /workspaces/{id}/chats/{chat_id}`
   */
  change(id: string, chatId: string, input?: ChangeChatInput, options?: CallOptions): Promise<ChatWithPeople>;
  /**
   * Delete a conversation; for its owners, and operators. Needs a token of scope `work`.
   *
   * `DELETE /workspaces/{id}/chats/{chat_id}`
   */
  delete(id: string, chatId: string, options?: CallOptions): Promise<DeleteChatOutput>;
  /**
   * Say something in a conversation; a work item answers it. Needs a token of scope `work`.
   *
   * `POST /workspaces/{id}/chats/{chat_id}`
   */
  say(id: string, chatId: string, input: NewChatMessage, options?: CallOptions): Promise<SaidMessage>;
  /**
   * Let somebody take part, or give them another role; for owners, and operators. They see everything that was said, and the work from now on. Needs a token of scope `work`.
   *
   * `POST /workspaces/{id}/chats/{chat_id}/people`
   */
  invite(id: string, chatId: string, input: InviteToChatInput, options?: CallOptions): Promise<InviteToChatOutput>;
  /**
   * Stop somebody from taking part; for owners, and operators. Anybody may leave, except the only owner. Needs a token of scope `work`.
   *
   * `DELETE /workspaces/{id}/chats/{chat_id}/people/{actor}`
   */
  remove(id: string, chatId: string, actor: string, options?: CallOptions): Promise<RemoveFromChatOutput>;
  /**
   * The files that came with its messages, oldest first; GET /artifacts/{id} returns their bytes. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats/{chat_id}/attachments`
   */
  listAttachments(id: string, chatId: string, input?: ListChatAttachmentsInput, options?: CallOptions): List<ChatFile>;
  /**
   * Begin a conversation with the messages of an export. Needs a token of scope `work`.
   *
   * `POST /workspaces/{id}/imports`
   */
  import(id: string, input: ImportChatInput, options?: CallOptions): Promise<ImportChatOutput>;
  /**
   * The messages of the branch that is shown, in order or the newest first. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats/{chat_id}/messages`
   */
  listMessages(id: string, chatId: string, input?: ListChatMessagesInput, options?: CallOptions): List<ChatMessage>;
  /**
   * One message, on any branch. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats/{chat_id}/messages/{message_id}`
   */
  showMessage(id: string, chatId: string, messageId: string, options?: CallOptions): Promise<ChatMessage>;
  /**
   * Delete a message of yours, or an answer: no view and no later context contains it. Needs a token of scope `work`.
   *
   * `DELETE /workspaces/{id}/chats/{chat_id}/messages/{message_id}`
   */
  deleteMessage(id: string, chatId: string, messageId: string, options?: CallOptions): Promise<DeleteChatMessageOutput>;
  /**
   * Replace a message of yours; the new one is answered on a branch of its own. Needs a token of scope `work`.
   *
   * `POST /workspaces/{id}/chats/{chat_id}/messages/{message_id}/edit`
   */
  editMessage(
    id: string,
    chatId: string,
    messageId: string,
    input: EditChatMessageInput,
    options?: CallOptions,
  ): Promise<SaidMessage>;
  /**
   * Ask for another answer to a message, given by its id or that of its answer. Needs a token of scope `work`.
   *
   * `POST /workspaces/{id}/chats/{chat_id}/messages/{message_id}/retry`
   */
  retryMessage(id: string, chatId: string, messageId: string, options?: CallOptions): Promise<SaidMessage>;
  /**
   * What is said in a conversation, and everything that happens to its answers, as an event stream; Last-Event-ID resumes after an event. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats/{chat_id}/events`
   */
  events(id: string, chatId: string, options?: EventOptions): AsyncGenerator<ChatEvent, void>;
  /**
   * The bytes of `events`, to be passed on: an event stream, or 204 where nothing follows. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/chats/{chat_id}/events`
   */
  rawEvents(id: string, chatId: string, options?: RawOptions): Promise<Response>;
}
