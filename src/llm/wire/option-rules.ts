import type { ServiceTier } from '../../core/config/providers/model-words.ts';
import type { ModelInfo } from '../models/model-info.ts';
import type { JsonSchema } from '../schema/dialect.ts';
import type { StrictSchema } from '../schema/strict-schema.ts';

/** The limits that an API sets on a faculty's options, for all models. */
export interface OptionRules {
  /** The highest temperature; the lowest is 0. */
  readonly maxTemperature: number;
  /** Thinking budgets in tokens; with one, the temperature must be 1 or absent. */
  readonly thinkingBudgets: boolean;
  /** Stop sequences; 0: none; null: no limit. */
  readonly maxStop: number | null;
  /** True: models that always think accept no stop sequences. */
  readonly stopWhileThinking: boolean;
  /** The classes of service that the API supports. */
  readonly serviceTiers: readonly ServiceTier[];
  /** Writes the schema of an answer in the form that the API accepts for this model, or returns the reason why it cannot. */
  readonly writeSchema: (schema: JsonSchema, model: ModelInfo) => StrictSchema;
}
