/** What a wire's API takes of a faculty's options, whatever the model. */
export interface OptionRules {
  /** The highest temperature; the lowest is 0. */
  readonly maxTemperature: number;
  /** Thinking budgets in tokens; with one, the temperature must be 1 or absent. */
  readonly thinkingBudgets: boolean;
  /** Stop sequences; null: no limit. */
  readonly maxStop: number | null;
  /** Models that always think take no stop sequences. */
  readonly stopWhileThinking: boolean;
}
