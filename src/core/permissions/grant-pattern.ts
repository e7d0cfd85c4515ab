/** The pattern of a grant, as a person gives it. */
import { parseRuleKey } from './rule-key.ts';

/** As in `[faculty.permissions]`: `git push*` for the tool bash is `bash(git push*)`. A problem says what is wrong with it. */
export function grantPattern(tool: string, pattern: string): string | { readonly problem: string } {
  const key = pattern === tool || pattern.startsWith(`${tool}(`) ? pattern : `${tool}(${pattern})`;
  const parsed = parseRuleKey(key);
  return 'problem' in parsed ? parsed : key;
}
