/** Errors as `application/problem+json` (RFC 9457). */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { AnimusError } from '../../core/errors/errors.ts';
import { errorCode } from '../events/error-code.ts';
import type { Answer } from './answer.ts';

/** The body of every answer that reports an error. It names no request, so that what one may not see and what is not there look the same. */
export const problemSchema = z
  .object({
    type: z.string().describe('`urn:animus:error:` and the code'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: errorCode,
    retryable: z.boolean().describe('the same request may succeed later'),
  })
  .meta({ id: 'Problem' });

export const PROBLEM_TYPE = 'application/problem+json';

/** The answer that reports an error of the table. */
export function problemAnswer(error: AnimusError, headers: Readonly<Record<string, string>> = {}): Answer {
  const status = error.httpStatus;
  const body: z.output<typeof problemSchema> = {
    type: `urn:animus:error:${error.code}`,
    title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
    status,
    detail: error.message,
    code: error.code,
    retryable: error.retryable,
  };
  return {
    status,
    text: `${JSON.stringify(body)}\n`,
    headers: { 'content-type': PROBLEM_TYPE, ...retryAfter(error), ...headers },
  };
}

/** The header that says when to try again; nothing for an error that a wait does not cure. */
export function retryAfter({ httpStatus, details }: AnimusError): Readonly<Record<string, string>> {
  const { seconds = 1 } = details as { readonly seconds?: number };
  return httpStatus === 429 || httpStatus === 503 ? { 'retry-after': `${seconds}` } : {};
}

/** Node has the names of an older RFC. */
const TITLES: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };
