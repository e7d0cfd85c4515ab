import type { ConversationMarkFacts } from './conversation-facts.ts';
import type { ConversationBody, ConversationEvent } from './event.ts';

/** The event of a mark of a conversation. */
export function conversationMarkEvent(mark: ConversationMarkFacts): ConversationEvent {
  return { ...bodyOf(mark), workItemId: mark.item, atMs: mark.at };
}

function bodyOf(mark: ConversationMarkFacts): ConversationBody {
  const { kind, detail } = mark;
  const messageId = mark.messageId ?? '';
  const by = detail?.by ?? null;
  switch (kind) {
    case 'said':
    case 'told':
      return { type: 'said', ...messageOf(mark) };
    case 'answered':
      return { type: 'answered', ...messageOf(mark), endedAs: mark.message?.endedAs ?? 'completed' };
    case 'retried':
    case 'deleted':
      return { type: kind, messageId, by };
    case 'joined':
    case 'left':
      return {
        type: 'people',
        actor: detail?.actor ?? '',
        joined: kind === 'joined',
        role: kind === 'joined' ? (detail?.role ?? null) : null,
        by,
      };
    case 'changed':
      return {
        type: 'conversation',
        faculty: detail?.faculty ?? '',
        title: detail?.title ?? '',
        whileAnswering: detail?.while_answering ?? 'queue',
        by,
      };
    default:
      return kind satisfies never;
  }
}

function messageOf({ kind, messageId, message, at }: ConversationMarkFacts) {
  const {
    number = 0,
    role = 'user',
    author = '',
    text = null,
    leftOut = null,
    saidAt = at,
    after = null,
    replaces = null,
    attachments = null,
  } = message ?? {};
  return {
    messageId: messageId ?? '',
    number,
    role,
    author,
    text,
    ...(leftOut && { leftOut }),
    saidAt: new Date(saidAt).toISOString(),
    after,
    replaces,
    told: kind === 'told',
    attachments: attachments ?? [],
  };
}
