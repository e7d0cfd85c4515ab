/** The interface of what runs before each request to the model. */
import type { Message } from '../../llm/client.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';

/** `added`: messages that were recorded just now, in order, as they are read back. `blocked` ends the attempt. */
export type BeforeRequestVerdict =
  | { readonly kind: 'go'; readonly added: readonly EngineMessage[] }
  | { readonly kind: 'blocked'; readonly reason: string };

/**
 * Judges the request of a turn and may add messages to the context, once per turn: a turn that is asked again gets nothing new. `messages`
 * renders the request as it would be sent. Rejects when the focus is aborted.
 */
export type BeforeRequest = (
  turn: number,
  messages: () => readonly Message[],
  signal: AbortSignal,
) => Promise<BeforeRequestVerdict>;
