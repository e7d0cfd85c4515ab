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

/** Maps Anthropic's `stop_reason`; `other` for a missing or unknown one. */
export function stopReasonOf(raw: string | null): StopReason {
  return (raw !== null && STOPS[raw]) || 'other';
}
