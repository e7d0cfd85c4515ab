/** Whether a person is logged in. */
import { signal } from '@preact/signals';
import type { ShowMeOutput } from '../../client/client.ts';

/** Who is logged in, as the API says it. */
export type Me = Pick<ShowMeOutput, 'person' | 'actor' | 'role' | 'scopes' | 'expires_at'>;
/** Why there is no session. `expired`: it was ended elsewhere or by time. `left`: the person has logged out. */
export type Ended = 'never' | 'expired' | 'left';

/** `unknown`: the server has not answered yet. `csrf` goes with every change. */
export type Session =
  | { readonly is: 'unknown'; readonly csrf: null }
  | { readonly is: 'none'; readonly csrf: null; readonly ended: Ended; readonly problem: string | null }
  | { readonly is: 'open'; readonly csrf: string; readonly me: Me };

export const session = signal<Session>({ is: 'unknown', csrf: null });

/** Shows the login again, and keeps the address, so that the person goes on where they were. */
export function endSession(ended: Ended, problem: string | null = null): void {
  session.value = { is: 'none', csrf: null, ended, problem };
}

/**
 * Whether the person may do what needs this scope; what needs `decide` also needs the role `operator`. SQL decides in the end: this only spares people buttons
 * that would fail.
 */
export function may(scope: 'read' | 'work' | 'decide'): boolean {
  const { value: now } = session;
  if (now.is !== 'open' || !now.me.scopes.includes(scope)) return false;
  return scope !== 'decide' || now.me.role === 'operator';
}

/** Whether the person sees the work of all: others see their own. */
export function seesAll(): boolean {
  return session.value.is === 'open' && session.value.me.role !== 'submitter';
}

/** Whether the person may do what only operators may. */
export function mayOperate(): boolean {
  return may('decide');
}

/** Whether the person may change what belongs to this actor (null: to everybody). */
export function mayChangeOf(actor: string | null): boolean {
  return mayOperate() || (may('work') && session.value.is === 'open' && session.value.me.actor === actor);
}
