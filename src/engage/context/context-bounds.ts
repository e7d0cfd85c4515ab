/**
 * The limits that keep the context of a focus within its window: the faculty's settings, and limits derived from the
 * window.
 */
import type { FocusModel } from '../turn/focus-model.ts';
import type { ContextBounds } from '../turn/loop-state.ts';

/** Limits in tokens, as estimated. */
export interface ContextLimits {
  /** A longer prompt is compacted. */
  readonly prompt: number;
  /** A single result; a longer one is stored whole as an artifact and cut. */
  readonly result: number;
  /** All results of one answer together. */
  readonly results: number;
  /** The entries in one stub. */
  readonly stub: number;
  /** The entries in one summary. */
  readonly summary: number;
}

/**
 * The limits for a model's window. The prompt leaves space for an answer: providers refuse a request whose prompt and
 * max_tokens together exceed the window. A result may take a tenth of it (70 KB with 200,000 tokens, more than any of our
 * tools returns), those of one answer three tenths.
 */
export function contextLimits(
  bounds: ContextBounds,
  model: Pick<FocusModel, 'contextWindow' | 'settings'>,
): ContextLimits {
  const window = model.contextWindow;
  const besideAnswer = Math.max(window - model.settings.maxTokens, window / 10);
  return {
    prompt: Math.min(bounds.compactThreshold * window, besideAnswer),
    result: window * 0.1,
    results: window * 0.3,
    stub: Math.min(8000, window * 0.05),
    summary: window * 0.2,
  };
}
