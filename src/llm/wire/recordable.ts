import type { Answer } from './wire.ts';

/** Of a name or an id: a model is part of a key in the database, whose index takes 2,704 bytes, and a label of metrics. */
const MAX_CHARS = 256;

/**
 * The answer as it can be recorded: what names it has no secret and at most 256 characters. The content is bounded by its
 * fold.
 */
export function recordable(answer: Answer, mask: (text: string) => string): Answer {
  const masked = (text: string | null) => (text === null ? null : short(mask(text)));
  return {
    ...answer,
    model: short(mask(answer.model)),
    responseId: masked(answer.responseId),
    rawStopReason: masked(answer.rawStopReason),
    cutToolCalls: answer.cutToolCalls.map(short),
  };
}

function short(text: string): string {
  return text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text;
}
