import type { StopReason } from '../client.ts';

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  pause_turn: 'pause_turn',
  model_context_window_exceeded: 'context_overflow',
};

/** Anthropic's `stop_reason` in animus's words; `other` for none and for ones to come. */
export function stopReasonOf(raw: string | null): StopReason {
  return (raw !== null && STOPS[raw]) || 'other';
}
