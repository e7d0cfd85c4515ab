import type { Answer } from './wire.ts';

/** Of a name or an id: a model is part of a key in the database, whose index accepts 2,704 bytes, and a label of metrics. */
const MAX_CHARS = 256;

/**
 * The answer in a form that can be recorded: its names contain no secret and have at most 256 characters. The content is bounded by its
 * fold.
 */
export function recordable(
  { model, responseId, content, stopReason, rawStopReason, cutToolCalls, usage }: Answer,
  mask: (text: string) => string,
): Omit<Answer, 'type'> {
  const masked = (text: string | null) => (text === null ? null : short(mask(text)));
  return {
    model: short(mask(model)),
    responseId: masked(responseId),
    content,
    stopReason,
    rawStopReason: masked(rawStopReason),
    cutToolCalls: cutToolCalls.map(short),
    usage,
  };
}

function short(text: string): string {
  return text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text;
}
