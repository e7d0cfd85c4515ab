import { type Fault, fault } from '../wire/fault.ts';
import { asString } from '../wire/loose-json.ts';
import { isLasting } from '../wire/status-kind.ts';
import type { Submission } from './batch-api.ts';
import type { BatchReply } from './batch-http.ts';

/**
 * What the response to a submit means. A status of 4xx, or one of a server that does not offer this request, means that the provider has not
 * accepted the batch. A failed connection, a time-out, another status of 5xx and a response that cannot be read leave it open.
 */
export function submissionOf(answer: BatchReply): Submission {
  if (!answer.ok && isRefusal(answer.fault))
    return { kind: 'refused', fault: answer.fault, ofRequests: isOfRequests(answer.fault) };
  if (!answer.ok) return { kind: 'unclear', fault: answer.fault };
  const providerId = asString(answer.value['id']) || null;
  if (providerId === null) return { kind: 'unclear', fault: fault('protocol', 'the response does not name a batch') };
  return { kind: 'submitted', providerId };
}

function isOfRequests({ kind }: Fault): boolean {
  return ['invalid_request', 'context_overflow', 'model_not_found', 'content_filter'].includes(kind);
}

/** 408, 409 and 425 say nothing about what was done. Without a status and without an attempt, nothing was sent. */
function isRefusal({ httpStatus, kind }: Fault): boolean {
  if (httpStatus === null) return kind === 'rate_limit';
  if (isLasting(httpStatus)) return true;
  return httpStatus >= 400 && httpStatus < 500 && ![408, 409, 425].includes(httpStatus);
}
