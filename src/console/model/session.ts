/** Logging in and out. The session itself is a cookie that no script can read; the page knows only who it is and the value that changes need. */

import { S } from '../words/strings.ts';
import { API_BASE, sentenceOf } from './api.ts';
import { goTo, place } from './place.ts';
import { endSession, type Me, session } from './session-state.ts';

const UNAUTHORIZED = 401;

/** Asks the server who is logged in, or uses the one-time link that the address has. */
export async function startSession(): Promise<void> {
  const { page, rest } = place.value;
  if (page === 'login' && rest[0] !== undefined) return logIn({ link: rest[0] });
  try {
    const answer = await request('GET', 'session');
    if (answer.status === UNAUTHORIZED) endSession('never');
    else open(await answer.json());
  } catch (error) {
    endSession('never', sentenceOf(error));
  }
}

/** With a one-time link or a token. What fails is shown with the login. */
export async function logIn(by: { readonly link: string } | { readonly token: string }): Promise<void> {
  try {
    const answer = await request('POST', 'sessions', by);
    if (!answer.ok) return endSession('never', await problemOf(answer));
    open(await answer.json());
    // The link in the address has been used.
    if (place.value.page === 'login') goTo('now');
  } catch (error) {
    endSession('never', sentenceOf(error));
  }
}

/** Also when the server cannot be reached: then the session ends by time, and the person is told. */
export async function logOut(): Promise<void> {
  try {
    await request('DELETE', 'session');
    endSession('left');
  } catch (error) {
    endSession('left', S.login.stillOpen(sentenceOf(error)));
  }
}

function open(answer: unknown): void {
  const { csrf, ...me } = answer as Me & { readonly csrf: string };
  session.value = { is: 'open', csrf, me };
}

async function request(method: string, path: string, body?: object): Promise<Response> {
  const { csrf } = session.value;
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(csrf !== null && { 'x-animus-csrf': csrf }),
  };
  return fetch(`${API_BASE}api/v1/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

async function problemOf(answer: Response): Promise<string> {
  const problem: unknown = await answer.json().catch(() => null);
  const { detail } = (problem ?? {}) as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : S.login.refused(answer.status);
}
