import type { FailureKind } from '../client.ts';
import { saysContextOverflow } from '../wire/context-overflow.ts';
import { type Fault, fault } from '../wire/fault.ts';
import { asObject, asString, parseJson } from '../wire/loose-json.ts';
import { isLasting, kindOfStatus } from '../wire/status-kind.ts';
import { type WireError, whereOf } from '../wire/wire.ts';

/** Error types of the API ("Errors" in its reference). They are more precise than the status, and a stream has only them. */
const KINDS: Readonly<Record<string, FailureKind>> = {
  authentication_error: 'credentials',
  permission_error: 'credentials',
  billing_error: 'quota',
  not_found_error: 'model_not_found',
  request_too_large: 'context_overflow',
  rate_limit_error: 'rate_limit',
  timeout_error: 'timeout',
  api_error: 'overloaded',
  overloaded_error: 'overloaded',
  invalid_request_error: 'invalid_request',
};

/** Classifies an error of the Messages API. */
export function anthropicFault(arrived: WireError): Fault {
  const { status, body } = arrived;
  const envelope = asObject(parseJson(body));
  const error = asObject(envelope?.['error']);
  const type = asString(error?.['type']) ?? '';
  const message = asString(error?.['message']) ?? (body.trim() && body);
  // The beginning of a message says what happened.
  const kind = refine(kindOf(status, type), message.slice(0, 10_000));
  return fault(kind, `${whereOf(arrived)}${type && ` ${type}`}: ${message || 'no message'}`, {
    httpStatus: status,
    requestId: asString(envelope?.['request_id']),
  });
}

/** `api_error` stands beside every 5xx, so a status that says more precedes it. */
function kindOf(status: number | null, type: string): FailureKind {
  if (type === 'api_error' && isLasting(status)) return kindOfStatus(status);
  return KINDS[type] ?? kindOfStatus(status);
}

function refine(kind: FailureKind, message: string): FailureKind {
  if (kind !== 'invalid_request') return kind;
  if (saysContextOverflow(message)) return 'context_overflow';
  if (/credit balance is too low|usage limits?/i.test(message)) return 'quota';
  if (/content filtering policy/i.test(message)) return 'content_filter';
  return kind;
}
