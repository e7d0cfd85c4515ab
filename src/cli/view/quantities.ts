/** Ids, ages, durations, counts and money as people read them. */
import type { WorkState } from '../../core/work/work.ts';
import { type Part, type Style, styled } from './output.ts';

/**
 * The last 12 hex digits of an id, which are random. A version 7 id starts with its time, which similar ids share.
 */
export function shortId(id: string): string {
  return id.slice(-12);
}

/** How long ago a time was, in the largest unit; `in …` for the future. */
export function age(then: Date | string, nowMs: number): string {
  const ms = nowMs - new Date(then).getTime();
  return ms < -1000 ? `in ${duration(-ms)}` : `${duration(Math.max(0, ms))} ago`;
}

/** A length of time: `12 ms`, `3.4 s`, `5 min`, `2 h`, `3 d`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** `12,345`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 turn`, `3 turns`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : nouns}`;
}

/** `$0.0042`, `$1.25`. Four digits below a dollar, because most model calls cost less. */
export function usd(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && amount < 1 ? 4 : 2)}`;
}

/**
 * What calls have cost: `$1.25`; `at least $1.25`, where the cost of some is not known (a model without a price, an answer without token
 * counts); `unknown`, where that of none is.
 */
export function cost(amount: number | null, unpricedCalls = 0): string {
  if (amount === null) return 'unknown';
  return unpricedCalls > 0 ? `at least ${usd(amount)}` : usd(amount);
}

/** An amount of a budget: `$1.25`, `12,000 tokens`. */
export function amountOf(amount: number, unit: 'usd' | 'tokens'): string {
  return unit === 'usd' ? usd(amount) : counted(amount, 'token');
}

/** `831 B`, `12 kB`, `3.4 MB`, `1.2 GB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(1)} MB`;
  return `${(count / 1_000_000_000).toFixed(1)} GB`;
}

/** What an item merged into, where the login may not see that. */
export const WORK_OF_ANOTHER = 'work of another submitter';

/** A state in its colour. */
export function stateLabel(state: WorkState): Part {
  return styled(state, STATE_STYLES[state]);
}

const STATE_STYLES: Readonly<Record<WorkState, Style>> = {
  scheduled: 'plain',
  queued: 'yellow',
  claimed: 'cyan',
  running: 'cyan',
  waiting: 'yellow',
  completed: 'green',
  dead: 'red',
  merged: 'dim',
  cancelled: 'dim',
};

/** A description of at most `characters`, also where no terminal cuts it. A cut one ends with its full size. */
export function shortDescription(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${text.slice(0, characters).toWellFormed()}… (${bytes(Buffer.byteLength(text))}; --json has all)`;
}

interface Calls {
  readonly calls: number;
  /** Of code without a model. */
  readonly code_runs?: number;
}

/** `12`, or `3 runs` for code that ran without a model. */
export function callsOf({ calls, code_runs: runs = 0 }: Calls): string {
  if (runs === 0) return grouped(calls);
  return calls === 0 ? counted(runs, 'run') : `${grouped(calls)}, ${counted(runs, 'run')}`;
}

/** `12 calls`, `12 calls and 3 runs of code`. */
export function countedCalls({ calls, code_runs: runs = 0 }: Calls): string {
  return `${counted(calls, 'call')}${runs === 0 ? '' : ` and ${runs === 1 ? '1 run' : `${grouped(runs)} runs`} of code`}`;
}
