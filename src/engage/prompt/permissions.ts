/** What the model is told about permissions. */

/** The result of a call that a rule forbids. */
export function forbidden(rule: string): string {
  const which = rule.startsWith('default: ') || rule.startsWith('risk.') ? '' : ` (rule ${JSON.stringify(rule)})`;
  return `The operator of this faculty forbids this call${which}. It did not run. Do not try to get the same effect in another way: go on without it, or say in the outcome what you could not do and why.`;
}
