/** What «always» would allow: the rule as a faculty's file would have it, how far it reaches and until when. */
import type { ApproveInput } from '../../../client/client.ts';
import { type Asked, callOf, textOf } from './request.ts';

export type Always = NonNullable<ApproveInput['always']>;

const DAY_S = 86_400;
/** What a person may choose from; the first is what the API takes by default. */
export const SPANS_S: readonly number[] = [7 * DAY_S, DAY_S, 3600, 30 * DAY_S, 366 * DAY_S];

/** A rule of `[faculty.permissions]`, without what it says: `bash(git push *)`. Null: it is for this input alone. */
export function ruleOf(asked: Asked, pattern: string): string | null {
  const { tool } = callOf(asked) ?? { tool: '?' };
  return pattern === '' ? null : `${tool}(${pattern})`;
}

/** Words that are compared by what they are: a pattern of others would not match. */
const PLAIN_WORD = /^[\w./:@%+,=-]+$/;
/** With a star after them, they would allow everything. */
const RUNS_OTHERS = /^(?:sudo|env|sh|bash|zsh|xargs|nice|timeout|ssh|eval|exec|find|npx|python\d?|node|perl|ruby)$/;

/** Patterns that allow more than this input, the narrowest first. */
export function patternsOf(asked: Asked): readonly string[] {
  const { input } = callOf(asked) ?? {};
  const { command, path } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof command === 'string') return patternsOfCommand(command);
  const place = textOf(path);
  if (place === null || !/^[\w./-]+$/.test(place)) return [];
  const folder = place.replace(/[^/]*$/, '');
  return [`path=${place}`, ...(folder === '' || folder === '/' ? [] : [`path=${folder}**`])];
}

/** Only of one plain command: a rule that allows matches nothing else. */
function patternsOfCommand(command: string): readonly string[] {
  const words = command.trim().split(/ +/);
  if (!words.every((word) => PLAIN_WORD.test(word))) return [];
  const [program = '', second] = words;
  if (RUNS_OTHERS.test(program)) return [];
  const named = second !== undefined && /^[a-z][\w:-]*$/i.test(second) ? `${program} ${second}` : program;
  return [...new Set([`${named} *`, `${program} *`])].filter((pattern) => pattern !== command);
}
