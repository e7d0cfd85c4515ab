import type { FailureKind, LlmFailure, NetworkTrouble } from '../client.ts';

/** The failure of one attempt, before the number of attempts is known. */
export interface Fault {
  readonly type: 'fault';
  readonly kind: FailureKind;
  readonly network?: NetworkTrouble;
  readonly message: string;
  /** True if the same request may succeed when it is sent again soon. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly httpStatus: number | null;
  readonly requestId: string | null;
}

/** Creates a fault. By default, its kind decides whether it is retryable. */
export function fault(
  kind: FailureKind,
  message: string,
  rest: Partial<Omit<Fault, 'type' | 'kind' | 'message'>> = {},
) {
  return {
    type: 'fault',
    kind,
    message,
    retryable: isUsuallyTransient(kind),
    retryAfterMs: null,
    httpStatus: null,
    requestId: null,
    ...rest,
  } satisfies Fault as Fault;
}

/** True for a fault, among values that have no `kind` of their own. */
export function isFault(value: object): value is Fault {
  return 'type' in value && value.type === 'fault' && 'retryable' in value;
}

/** The failure for the caller: one masked line of at most 600 characters, with provider and model. */
export function toFailure(
  cause: Fault,
  from: { readonly provider: string; readonly model: string; readonly attempts: number },
  mask: (text: string) => string,
): LlmFailure {
  const { kind, network, httpStatus, retryAfterMs, requestId } = cause;
  return {
    kind,
    ...(network && { network }),
    ...from,
    message: oneLine(mask(cause.message)),
    httpStatus,
    retryAfterMs,
    requestId,
  };
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 600 ? `${line.slice(0, 599).toWellFormed()}…` : line;
}

function isUsuallyTransient(kind: FailureKind): boolean {
  switch (kind) {
    case 'rate_limit':
    case 'overloaded':
    case 'connection':
    case 'timeout':
    case 'protocol':
      return true;
    case 'credentials':
    case 'quota':
    case 'invalid_request':
    case 'context_overflow':
    case 'model_not_found':
    case 'content_filter':
    case 'aborted':
      return false;
    default:
      return kind satisfies never;
  }
}
