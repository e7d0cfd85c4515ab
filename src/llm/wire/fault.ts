import { type JsonLimits, textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { FAILURE_KINDS, type FailureKind, type LlmFailure, type NetworkTrouble } from '../client.ts';
import type { Way } from '../failure-costs.ts';
import { asObject, type Loose, parseCounted } from './loose-json.ts';
import { isLasting } from './status-kind.ts';

/** The failure of one attempt, before the number of attempts is known. */
export interface Fault {
  readonly type: 'fault';
  readonly kind: FailureKind;
  readonly network?: NetworkTrouble;
  /** Texts of the provider in full: they are masked before they are cut. */
  readonly message: string;
  /** True if the same request may succeed when it is sent again soon. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly httpStatus: number | null;
  readonly requestId: string | null;
  /** How the request failed, which decides what it costs. */
  readonly way: Way;
}

/**
 * Creates a fault. By default, its kind decides whether it is retryable, and for a wrong address the status. A fault whose `way` nobody has set
 * counts as a request that was sent.
 */
export function fault(
  kind: FailureKind,
  message: string,
  rest: Partial<Omit<Fault, 'type' | 'kind' | 'message'>> = {},
) {
  return {
    type: 'fault',
    kind,
    message,
    retryable: FAILURE_KINDS[kind].transient && !(kind === 'connection' && isLasting(rest.httpStatus ?? null)),
    retryAfterMs: null,
    httpStatus: null,
    requestId: null,
    way: 'unanswered',
    ...rest,
  } satisfies Fault as Fault;
}

/** Hands the JSON object of an event to `take`. The fault of `take`, or of an event that is none, or exceeds the limits. */
export function readEvent(data: string, take: (event: Loose) => Fault | null): Fault | null {
  const beyond = jsonBeyond(data);
  if (beyond !== null) return beyond;
  const event = asObject(parseCounted(data));
  return event ? take(event) : fault('protocol', `an event that is not a JSON object: ${data}`);
}

/** The fault of JSON beyond a limit; null: it may be parsed. Not retried: the same request would be answered the same way. */
export function jsonBeyond(text: string, limits: JsonLimits = JSON_LIMITS.providerJson): Fault | null {
  const beyond = textBeyond(text, limits);
  if (beyond === null) return null;
  return fault('protocol', `a part of the answer cannot be read: ${beyond}`, { retryable: false });
}

/** True for a fault, among values that have no `kind` of their own. */
export function isFault(value: object): value is Fault {
  return 'type' in value && value.type === 'fault' && 'retryable' in value;
}

/** The failure for the caller: one masked line of at most 600 characters, with provider and model. */
export function toFailure(
  cause: Fault,
  from: { readonly provider: string; readonly model: string; readonly attempts: number; readonly lost: number },
  mask: (text: string) => string,
): LlmFailure {
  const { kind, network, httpStatus, retryAfterMs } = cause;
  const requestId = cause.requestId === null ? null : oneLine(quote(cause.requestId, mask), 200);
  const message = toldMessage(cause, mask);
  return { kind, ...(network && { network }), ...from, message, httpStatus, retryAfterMs, requestId };
}

/** The message of a fault as one masked line of at most 600 characters. */
export function toldMessage({ message }: Fault, mask: (text: string) => string): string {
  return oneLine(quote(message, mask), 600);
}

/** How much of a provider's text is examined, in characters. */
export const QUOTED_CHARS = 64 * 1024;

/** An error that came inside an answer, as the body of one; of longer texts as much as is quoted. */
export function errorBody(value: unknown): string {
  return JSON.stringify(value, cutText);
}

function cutText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, QUOTED_CHARS + 1) : value;
}

/** Longer than any key: a text that was cut may end with a part of one, which no mask recognises. */
const LONGEST_SECRET = 8 * 1024;

/** Masks a text, then leaves out the end of one that is longer than 64 Ki characters. */
function quote(text: string, mask: (text: string) => string): string {
  if (text.length <= QUOTED_CHARS) return mask(text);
  return mask(text.slice(0, QUOTED_CHARS)).slice(0, -LONGEST_SECRET);
}

function oneLine(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}
