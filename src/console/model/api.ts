/** The one client of the console. Everything that it shows comes from the API; the browser sends the cookie of the session. */
import { ApiError, createClient } from '../../client/client.ts';
import { endSession, session, untilLoggedIn } from './session-state.ts';

const UNAUTHORIZED = 401;
/** The header that proves that a change comes from this page: other sites cannot read the session's value. */
const CSRF = 'x-animus-csrf';

/** Below the path of the page, whatever a proxy has put in front of it. */
export const API_BASE = new URL('.', document.baseURI.split('#', 1)[0]).href;

export const api = createClient({ baseUrl: API_BASE, token: null, retries: 2, fetch: send });

/** When the session has expired, reading waits for the next one; a change fails, and the person makes it again. */
async function send(url: string, init: RequestInit): Promise<Response> {
  const isRead = init.method === 'GET';
  if (isRead) await untilLoggedIn(init.signal);
  const headers = new Headers(init.headers);
  const { csrf } = session.value;
  if (!isRead && csrf !== null) headers.set(CSRF, csrf);
  const response = await fetch(url, { ...init, headers });
  if (response.status !== UNAUTHORIZED || csrf === null) return response;
  if (session.value.csrf === csrf) endSession('expired');
  return isRead ? send(url, init) : response;
}

/** What went wrong, for people: the API's own sentence. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
