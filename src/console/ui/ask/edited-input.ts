/** The input that a person has written in place of a call's own. */
import { S } from '../../words/strings.ts';

export type EditedInput =
  | { readonly is: 'same' }
  | { readonly is: 'invalid'; readonly why: string }
  /** `added`: fields that the call did not have. */
  | { readonly is: 'changed'; readonly input: Readonly<Record<string, unknown>>; readonly added: readonly string[] };

export function editedInput(text: string, before: unknown): EditedInput {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return { is: 'invalid', why: S.ask.notJson(error instanceof Error ? error.message : String(error)) };
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { is: 'invalid', why: S.ask.notAnObject };
  }
  if (JSON.stringify(input) === JSON.stringify(before)) return { is: 'same' };
  const known = new Set(Object.keys(before ?? {}));
  return {
    is: 'changed',
    input: input as Readonly<Record<string, unknown>>,
    added: Object.keys(input).filter((key) => !known.has(key)),
  };
}
