/** Logging in and out. The session itself is a cookie that no script can read; the page knows only who it is and the value that changes need. */
import { ApiError, type Session as Begun } from '../../client/client.ts';
import { S } from '../words/strings.ts';
import { api, sentenceOf } from './api.ts';
import { hrefTo, place } from './place.ts';
import { endSession, refuseLogin, session } from './session-state.ts';

const UNAUTHORIZED = 401;

/** Asks the server who is logged in, or uses the one-time link that the address has. */
export async function startSession(): Promise<void> {
  const { page, rest } = place.value;
  if (page === 'login' && rest[0] !== undefined) return logIn({ link: rest[0] });
  try {
    open(await api.people.showSession());
  } catch (error) {
    endSession('never', error instanceof ApiError && error.status === UNAUTHORIZED ? null : sentenceOf(error));
  }
}

/** With a one-time link or a token. What fails is shown with the login. */
export async function logIn(by: { readonly link: string } | { readonly token: string }): Promise<void> {
  try {
    open(await api.people.createSession(by));
  } catch (error) {
    refuseLogin(sentenceOf(error));
  }
  // The link has been used, whatever became of it: neither the address nor the back button keeps it.
  if (place.value.page === 'login') location.replace(hrefTo('now'));
}

/** Also when the server cannot be reached: then the session ends by time, and the person is told. */
export async function logOut(): Promise<void> {
  try {
    await api.people.endSession();
    endSession('left');
  } catch (error) {
    endSession('left', S.login.stillOpen(sentenceOf(error)));
  }
}

function open({ csrf, ...me }: Begun): void {
  session.value = { is: 'open', csrf, me };
}
