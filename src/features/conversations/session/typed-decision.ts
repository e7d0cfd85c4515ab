/** Reads a typed line as a decision on what the answer asks. */
import { DEFAULT_GRANT_SECONDS, type GrantScope } from '../../../operations/always-allow.ts';
import type { Asked } from '../../../operations/asked.ts';
import { timeSpan } from '../../../terminal/command/arguments.ts';
import { AT_ONCE, enough } from '../../../terminal/view/show-asked.ts';

export type TypedDecision =
  | { readonly does: 'later' | 'full' | 'edit' | 'unclear' }
  | { readonly does: 'answer'; readonly text: string }
  | { readonly does: 'approve' | 'deny'; readonly note: string | undefined }
  | {
      readonly does: 'always';
      readonly scope: GrantScope;
      readonly seconds: number;
      readonly pattern: string | undefined;
    };

/** A question takes any line as its answer; everything else is decided by one of a few words. */
export function typedDecision({ kind, subject, request }: Asked, line: string): TypedDecision {
  const text = line.trim();
  if (text === '') return { does: 'later' };
  if (kind === 'human') return { does: 'answer', text: choiceOf(request['choices'], text) };
  const [, word = '', rest] = /^(\S+)(?:\s+([\s\S]+))?$/.exec(text) ?? [];
  // Several lines are a pasted message, not a decision.
  if (text.includes('\n')) return { does: 'unclear' };
  if (/^(?:y|yes)$/i.test(word)) return { does: 'approve', note: rest };
  if (/^(?:n|no)$/i.test(word)) return { does: 'deny', note: rest };
  if (/^(?:f|full)$/i.test(text)) return { does: 'full' };
  if (/^(?:e|edit)$/i.test(text)) return { does: 'edit' };
  if (subject === 'tool_call' && /^(?:a|always)$/i.test(word)) return always(rest ?? '');
  return { does: 'unclear' };
}

/** `always [faculty] [for TIME] [PATTERN]`. */
function always(given: string): TypedDecision {
  const [, faculty, time, pattern] = /^(?:(faculty)(?!\S)\s*)?(?:for\s+(\d{1,7}[smhd])(?!\S)\s*)?([\s\S]*)$/.exec(
    given,
  )!;
  return {
    does: 'always',
    scope: faculty === undefined ? 'item' : 'faculty',
    seconds: time === undefined ? DEFAULT_GRANT_SECONDS : timeSpan(time),
    pattern: pattern === '' ? undefined : pattern,
  };
}

/** What may be typed, in one paragraph. */
export function howToDecide({ kind, subject, request, items }: Asked): string {
  if (kind === 'human')
    return 'type the answer, or the number of a choice; /deny declines to answer; an empty line puts it off';
  const isCall = subject === 'tool_call';
  const all = items > 1 ? ` for all ${items} work items that wait for this limit` : '';
  const yes = subject === 'budget' ? `y adds ${enough(request)}${all}` : isCall ? 'y runs it once' : 'y approves it';
  const no = items > AT_ONCE ? 'n ends 1,000 of them' : items > 1 ? 'n ends all of them' : 'n does not';
  const more = isCall
    ? '; always [faculty] [for 7d] [PATTERN] runs it and allows the same call from now on; edit changes its input first'
    : '';
  return `${yes}; ${no}${more}; full shows all of it; an empty line puts it off; a note may follow y or n: n not on a Friday`;
}

/** A number stands for the choice of that number. */
function choiceOf(given: unknown, text: string): string {
  const choices = Array.isArray(given) ? given : [];
  const chosen: unknown = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
  return typeof chosen === 'string' ? chosen : text;
}
