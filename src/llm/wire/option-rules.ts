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
}
