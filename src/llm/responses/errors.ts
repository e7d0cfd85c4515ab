import type { FailureKind } from '../client.ts';
import { openaiFault } from '../openai/errors.ts';
import type { Fault } from '../wire/fault.ts';
import { asObject, asString, parseJson } from '../wire/loose-json.ts';
import type { WireError } from '../wire/wire.ts';

/** Codes of `response.error` that Chat Completions does not have. They come in a stream, where no HTTP status explains them. */
const CODES: readonly (readonly [FailureKind, RegExp])[] = [
  ['content_filter', /^(invalid_prompt|bio_policy|cyber_policy|\w*policy_violation)$/],
  ['invalid_request', /^(invalid_|empty_image|unsupported_image|failed_to_download_image|image_|vector_store_)/],
];

/** Classifies an error of Responses: the envelope and the words are those of Chat Completions, with more codes. */
export function responsesFault(error: WireError): Fault {
  const base = openaiFault(error);
  const code = codeOf(error.body);
  const kind = CODES.find(([, pattern]) => pattern.test(code))?.[0];
  if (kind !== undefined && (base.kind === 'overloaded' || base.kind === 'invalid_request'))
    return { ...base, kind, retryable: false };
  if (base.kind !== 'connection' || base.httpStatus !== 404) return base;
  return { ...base, message: `${base.message} (no Responses at this address? set wire = "chat")` };
}

function codeOf(body: string): string {
  const envelope = asObject(parseJson(body));
  return asString((asObject(envelope?.['error']) ?? envelope)?.['code']) ?? '';
}
