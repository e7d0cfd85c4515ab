/** Ids, ages, durations, counts and money as people read them. */
import type { WorkState } from '../../core/work/work.ts';
import { styled } from './output.ts';
import type { Part, Style } from './part.ts';

/** The last 12 hex digits of an id, which are random. A version 7 id starts with its time, which similar ids share. */
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
  return String(count).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `1 turn`, `3 turns`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : nouns}`;
}

/** Where there is nothing to count, in place of 0: no call was made. */
export const NONE = '–';

/** `$0.0042`, `$1.25`, `$0.00000045`. Four digits below a dollar, because most model calls cost less; two that are not 0 where these would be. */
export function usd(amount: number): string {
  const size = Math.abs(amount);
  if (size > 0 && size < 0.0001) return `$${rounded(amount, Math.min(20, 1 - Math.floor(Math.log10(size))))}`;
  return `$${rounded(amount, size > 0 && size < 1 ? 4 : 2)}`;
}

/**
 * Rounds the digits that are written, as people do: `toFixed` makes 0.0262 of 0.02625, which is stored as a little less. As `toLocaleString`, which takes
 * 10 ms when a process first calls it.
 */
function rounded(amount: number, digits: number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(inDecimals(amount)) ?? [];
  const up = fraction.charAt(digits) >= '5' ? 1n : 0n;
  const text = String(BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0')) + up).padStart(digits + 1, '0');
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Numbers below a millionth, and above 10²¹, are written with an exponent. */
function inDecimals(amount: number): string {
  const text = String(amount);
  if (!text.includes('e')) return text;
  return amount.toLocaleString('en-US', { maximumFractionDigits: 100, useGrouping: false });
}

/**
 * What calls have cost: `$1.25`; `at least $1.25`, where the cost of some is not known (a model without a price, an answer without token
 * counts); `unknown`, where that of none is.
 */
export function cost(amount: number | null, unpricedCalls = 0): string {
  if (amount === null) return 'unknown';
  return unpricedCalls > 0 ? `at least ${usd(amount)}` : usd(amount);
}

/** What work has cost, as `cost` says it; `–` before its first call. */
export function costOfWork(work: {
  readonly cost_usd: number | null;
  readonly unpriced_calls: number;
  readonly lost_usd: number;
  readonly turns: number;
}): string {
  const nothing = work.turns === 0 && work.cost_usd === 0 && work.unpriced_calls === 0;
  return nothing ? NONE : cost(work.cost_usd, work.unpriced_calls);
}

/** Tokens as `cost` says costs: `12,345`, `at least 12,345`, `unknown`. */
export function tokens(count: number | null, uncountedCalls = 0): string {
  if (count === null) return 'unknown';
  return uncountedCalls > 0 ? `at least ${grouped(count)}` : grouped(count);
}

/** ` (including $0.02 estimated, $0.01 lost)`: parts of a sum that no provider has counted; empty without any. */
export function uncertainParts({
  estimated_usd: estimated,
  lost_usd: lost,
}: {
  readonly estimated_usd: number;
  readonly lost_usd: number;
}): string {
  const parts = [...(estimated > 0 ? [`${usd(estimated)} estimated`] : []), ...(lost > 0 ? [`${usd(lost)} lost`] : [])];
  return parts.length === 0 ? '' : ` (including ${parts.join(', ')})`;
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
  /** Requests that returned nothing. */
  readonly lost_requests?: number;
  /** Of code without a model. */
  readonly code_runs?: number;
}

/** `12`, or `3 runs` for code that ran without a model. */
export function callsOf({ calls, code_runs: runs = 0 }: Calls): string {
  if (runs === 0) return grouped(calls);
  return calls === 0 ? counted(runs, 'run') : `${grouped(calls)}, ${counted(runs, 'run')}`;
}

/** `12 calls`, `12 calls and 3 runs of code`, `12 calls, 2 lost requests`. */
export function countedCalls({ calls, lost_requests: lost = 0, code_runs: runs = 0 }: Calls): string {
  const made = `${counted(calls, 'call')}${lost === 0 ? '' : `, ${counted(lost, 'lost request')}`}`;
  return `${made}${runs === 0 ? '' : ` and ${runs === 1 ? '1 run' : `${grouped(runs)} runs`} of code`}`;
}

/** At most so many names are listed. */
const MOST_NAMED = 5;

/** Names with commas between them, the first five at most: `a, b, c, d, e and 53 more`. */
export function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${grouped(more)} more` : names.join(', ');
}
