import type { FailureKind } from '../client.ts';
import { saysContextOverflow } from '../wire/context-overflow.ts';
import { type Fault, fault } from '../wire/fault.ts';
import { asArray, asNumber, asObject, asString, type Loose, parseJson } from '../wire/loose-json.ts';
import { kindOfStatus } from '../wire/status-kind.ts';
import { type WireError, whereOf } from '../wire/wire.ts';

/** Kinds by pattern of the message, tried in this order, whatever the status: vendors agree on little else. */
const SAID: readonly (readonly [FailureKind, RegExp])[] = [
  [
    'quota',
    /insufficient_quota|insufficient.balance|billing|payment.required|credit.{0,20}(exhausted|insufficient|too low)|no credits|out of credits/i,
  ],
  [
    'content_filter',
    /content_filter|content_policy|content management policy|data_inspection_failed|ResponsibleAI|flagged.{0,30}moderation/i,
  ],
  [
    'model_not_found',
    /model_not_found|no such model|unknown model|invalid model|model .{0,120}(does not exist|not found|is not available)/i,
  ],
  ['credentials', /invalid_api_key|incorrect api key|invalid api key|authentication_error|unauthorized/i],
  ['rate_limit', /rate_limit|rate limit|too many requests|resource_exhausted/i],
  [
    'overloaded',
    /overloaded|server_error|internal_error|service.unavailable|engine_overloaded|at capacity|upstream error|provider returned error/i,
  ],
];

/** How much of a message is searched for these words: its beginning says what happened. */
const SAID_CHARS = 10_000;

/** Classifies an error of Chat Completions, from OpenAI or a compatible server. */
export function openaiFault(arrived: WireError): Fault {
  const { status, body } = arrived;
  const parsed = parseJson(body);
  const envelope = asObject(parsed) ?? asObject(asArray(parsed)[0]);
  const error = asObject(envelope?.['error']) ?? envelope;
  const code = text(error?.['code']);
  const type = text(error?.['type']) || text(error?.['status']);
  const message = messageOf(envelope, error) || (body.trim() && body) || 'no message';
  // OpenRouter puts an HTTP status into `code`; in mid-stream it is the only one.
  const effective = status ?? statusIn(error?.['code']);
  const kind = kindOf(effective, `${code} ${type} ${message}`.slice(0, SAID_CHARS));
  const tag = [type, code].filter((word) => word !== '').join(' ');
  return fault(kind, `${whereOf(arrived)}${tag && ` ${tag}`}: ${message}`, { httpStatus: status });
}

function kindOf(status: number | null, said: string): FailureKind {
  const byStatus = kindOfStatus(status);
  // 401 and 402 are unambiguous. Messages of server errors often contain misleading words.
  if (byStatus === 'credentials' || byStatus === 'quota') return byStatus;
  if (status !== null && status >= 500) return byStatus;
  if (byStatus !== 'rate_limit' && saysContextOverflow(said)) return 'context_overflow';
  return SAID.find(([, pattern]) => pattern.test(said))?.[0] ?? byStatus;
}

function messageOf(envelope: Loose | null, error: Loose | null): string {
  if (typeof envelope?.['error'] === 'string') return envelope['error'];
  const detail = envelope?.['detail'];
  const own =
    asString(error?.['message']) ?? (typeof detail === 'string' ? detail : detail ? JSON.stringify(detail) : '');
  const raw = asString(asObject(error?.['metadata'])?.['raw']);
  return raw ? `${own}: ${raw}` : own;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function statusIn(code: unknown): number | null {
  const number = asNumber(code) ?? (typeof code === 'string' && /^[45]\d\d$/.test(code) ? Number(code) : null);
  return number !== null && number >= 400 && number < 600 ? number : null;
}
