/** Whether a person is logged in. */
import { signal } from '@preact/signals';
import type { ShowMeOutput } from '../../client/client.ts';

/** Who is logged in, as the API says it. */
export type Me = Pick<ShowMeOutput, 'person' | 'actor' | 'role' | 'scopes' | 'expires_at'>;
/** Why there is no session. `expired`: it was ended elsewhere or by time. `left`: the person has logged out. */
export type Ended = 'never' | 'expired' | 'left';

/** `unknown`: the server has not answered yet. `csrf` goes with every change. `kept`: whose page stays, hidden, until they log in again. */
export type Session =
  | { readonly is: 'unknown'; readonly csrf: null }
  | {
      readonly is: 'none';
      readonly csrf: null;
      readonly ended: Ended;
      readonly problem: string | null;
      readonly kept: Me | null;
    }
  | { readonly is: 'open'; readonly csrf: string; readonly me: Me };

export const session = signal<Session>({ is: 'unknown', csrf: null });

/** Shows the login again, and keeps the address, so that the person goes on where they were. What they typed stays when the session has expired. */
export function endSession(ended: Ended, problem: string | null = null): void {
  session.value = { is: 'none', csrf: null, ended, problem, kept: ended === 'expired' ? whoseMe() : null };
}

/** A login has failed: what the session was before, it is. */
export function refuseLogin(problem: string): void {
  const now = session.value;
  if (now.is === 'none') session.value = { ...now, problem };
  else endSession('never', problem);
}

/** Whose page it is: also while it waits, hidden, for that person to log in again. */
export function whoseMe(): Me | null {
  const { value: now } = session;
  if (now.is === 'open') return now.me;
  return now.is === 'none' ? now.kept : null;
}

/** Settles when what the hidden page reads can be read again, or nobody waits for it any more. */
export function untilLoggedIn(signal: AbortSignal | null | undefined): Promise<void> {
  if (!isKept(session.value) || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stop();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const stop = session.subscribe((now) => {
      if (!isKept(now)) done();
    });
    signal?.addEventListener('abort', done);
  });
}

function isKept(now: Session): boolean {
  return now.is === 'none' && now.kept !== null;
}

/**
 * Whether the person may do what needs this scope; what needs `decide` also needs the role `operator`. SQL decides in the end: this only spares people buttons
 * that would fail.
 */
export function may(scope: 'read' | 'work' | 'decide'): boolean {
  const me = whoseMe();
  if (me === null || !me.scopes.includes(scope)) return false;
  return scope !== 'decide' || me.role === 'operator';
}

/** Whether the person sees the work of all: others see their own. */
export function seesAll(): boolean {
  const me = whoseMe();
  return me !== null && me.role !== 'submitter';
}

/** Whether the person may do what only operators may. */
export function mayOperate(): boolean {
  return may('decide');
}

/** Whether the person may change what belongs to this actor (null: to everybody). */
export function mayChangeOf(actor: string | null): boolean {
  return mayOperate() || (may('work') && whoseMe()?.actor === actor);
}
