/** What the first request of a focus may cost, reserved with its beginning. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { AnimusError } from '../../../core/errors/errors.ts';
import { type CallCost, turnCost } from '../../../engage/context/turn-cost.ts';
import type { FocusSettings } from '../../../store/transcript/focus-settings.ts';
import type { EngineMessage } from '../../../store/transcript/messages.ts';
import type { ModelSource } from '../../models/focus-model.ts';

/** `usd` null: a model of the chain has no price, or cannot be asked, which the first turn reports. */
export function firstCost(
  messages: readonly EngineMessage[],
  { systemPrompt, tools }: Pick<FocusSettings, 'systemPrompt' | 'tools'>,
  faculty: Faculty,
  models: Pick<ModelSource, 'forFocus'>,
  focusId: string,
): CallCost {
  try {
    const model = models.forFocus(faculty, focusId);
    return turnCost({ turns: [], messages }, { systemPrompt, toolSpecs: tools, model });
  } catch (error) {
    if (error instanceof AnimusError) return { usd: null, tokens: 0 };
    throw error;
  }
}
