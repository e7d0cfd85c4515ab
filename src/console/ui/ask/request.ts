/** What is asked, read from the recorded request: never from what a model says about it. */
import type { Approval } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';

/** The parts of a request of the API that say what it is. */
export type Asked = Pick<Approval, 'kind' | 'subject' | 'request'>;

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberOf(value: unknown): number | null {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** The tool and the input of a call that waits; null: something else is asked. */
export function callOf({ subject, request }: Asked): { readonly tool: string; readonly input: unknown } | null {
  const tool = subject === 'tool_call' ? textOf(request['tool']) : null;
  return tool === null ? null : { tool, input: request['input'] };
}

/** In a few words: what is asked. */
export function titleOf({ kind, subject, request }: Asked): string {
  const name = (key: string) => textOf(request[key]) ?? '?';
  switch (subject) {
    case 'tool_call':
      return S.ask.runs(name('tool'));
    case 'budget':
      return S.ask.needsBudget;
    case 'provider':
      return S.ask.goesOnWith(presentModel(request));
    case 'skill':
      return request['base'] === null ? S.ask.proposesSkill(name('skill')) : S.ask.changesSkill(name('skill'));
    case 'lost':
      return S.ask.lost;
    default:
      return kind === 'human' ? S.ask.question : S.ask.other(subject);
  }
}

/** The model that the faculty has now. */
function presentModel(request: Approval['request']): string {
  const { model } = (request['present'] ?? {}) as { readonly model?: unknown };
  return textOf(model) ?? '?';
}

/** One line for a list: the command, the path, the question. */
export function lineOf(asked: Asked): string {
  const call = callOf(asked);
  const { request, subject } = asked;
  if (call !== null) {
    const { command, path, url, patch } = (call.input ?? {}) as Readonly<Record<string, unknown>>;
    const shown = [command, path, url, patch].find((each) => typeof each === 'string' && each !== '');
    return textOf(shown) ?? JSON.stringify(call.input ?? {});
  }
  if (subject === 'skill') return `${textOf(request['skill']) ?? ''}: ${textOf(request['description']) ?? ''}`;
  const said = ['question', 'reason', 'lost'].map((key) => textOf(request[key])).find((text) => text !== null);
  return said ?? JSON.stringify(request);
}

/** What a person may do about it. `answer` acknowledges what was lost. */
export type Way = 'approve' | 'deny' | 'answer' | 'edit';

export function waysOf({ kind, subject }: Asked): readonly Way[] {
  if (subject === 'lost') return ['answer'];
  if (subject === 'tool_call') return ['approve', 'deny', 'edit'];
  return kind === 'human' ? ['answer', 'deny'] : ['approve', 'deny'];
}

/** What happens at the deadline if nobody has decided. */
export function otherwiseOf({ kind, subject, request }: Asked): string {
  if (subject === 'budget') {
    // A turn that does not fit into the whole limit does not fit into that of the next day either.
    const needed = numberOf(request['needed']) ?? Number.POSITIVE_INFINITY;
    const fitsLater = request['period'] !== 'none' && needed <= (numberOf(request['base']) ?? 0);
    return fitsLater ? S.ask.goesOn : S.ask.dies;
  }
  return kind === 'human' ? S.ask.unanswered : S.ask.denied;
}

export interface Budget {
  readonly unit: string;
  readonly amount: number;
  readonly used: number;
  readonly needed: number;
  /** By how much an approval raises the limit if nothing else is said: the configured amount, as often as the next turn needs it. */
  readonly step: number;
}

/** Null: what the request says is not a budget. */
export function budgetOf({ request }: Asked): Budget | null {
  const [amount, used, needed, base] = ['amount', 'used', 'needed', 'base'].map((key) => numberOf(request[key]));
  if (amount == null || used == null || needed == null) return null;
  const short = used + needed - amount;
  const step = base != null && base > 0 ? base * Math.max(1, Math.ceil(short / base)) : Math.max(short, 0.01);
  // Without the noise of binary fractions: 0.1 three times is 0.3.
  return { unit: textOf(request['unit']) ?? '', amount, used, needed, step: Number(step.toPrecision(15)) };
}

/** The answers that the model suggests. */
export function choicesOf({ request }: Asked): readonly string[] {
  const { choices } = request;
  return Array.isArray(choices) ? choices.map(String) : [];
}
