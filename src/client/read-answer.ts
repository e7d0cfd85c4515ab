/** Reads answers of a server that is not trusted to be one of ours. */
import type { Problem } from './api/api.ts';
import { ApiError } from './api-error.ts';

/** The largest JSON document that is read, in bytes. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
/** What is read of an answer that reports an error. */
const MAX_PROBLEM_BYTES = 64 * 1024;

/** The JSON of a successful answer. Errors: `client.protocol`. */
export async function readJson(response: Response): Promise<unknown> {
  if (!isType(response, 'application/json'))
    throw protocolError(response, `the answer is ${typeOf(response)}, not JSON`);
  const text = await readText(response, MAX_JSON_BYTES);
  if (text === null) throw protocolError(response, `the answer has more than ${MAX_JSON_BYTES} bytes`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw protocolError(response, 'the answer is not valid JSON', cause);
  }
}

/** The error that an unsuccessful answer reports. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  // A browser shows nothing of a redirect that it was told not to follow.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    const message = `the server answered with a redirect${whereTo(response)}`;
    return new ApiError('client.redirected', message, factsOf(response));
  }
  const text = isType(response, 'application/problem+json') ? await readText(response, MAX_PROBLEM_BYTES) : null;
  const problem = parsedProblem(text);
  if (problem === null) {
    if (response.body && !response.bodyUsed) await response.body.cancel();
    return protocolError(response, `the server answered ${status} without a problem document`);
  }
  return new ApiError(problem.code, problem.detail, { ...factsOf(response), problem });
}

/** The answer is not what an animus server sends. */
export function protocolError(response: Response, message: string, cause?: unknown): ApiError {
  return new ApiError('client.protocol', message, { ...factsOf(response), cause });
}

/** Whether the answer has this media type. */
export function isType(response: Response, type: string): boolean {
  return typeOf(response) === type;
}

function typeOf(response: Response): string {
  return (response.headers.get('content-type') ?? 'of no type').split(';')[0]!.trim().toLowerCase();
}

/** Null: it is longer. */
async function readText(response: Response, most: number): Promise<string | null> {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > most) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parsedProblem(text: string | null): Problem | null {
  try {
    const value = JSON.parse(text ?? '') as Partial<Problem> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string' ? (value as Problem) : null;
  } catch {
    return null;
  }
}

function factsOf({ status, headers }: Response) {
  return { status, requestId: headers.get('x-request-id'), retryAfterMs: retryAfterMs(headers.get('retry-after')) };
}

/** Seconds or a date (RFC 9110, 10.2.3), in milliseconds from now. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** Only the origin: the rest may hold secrets. */
function whereTo({ headers, url }: Response): string {
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, url)) return '';
  return ` to ${new URL(location, url).origin}`;
}
