/** What became of one request, as far as the list of those that wait tells it: the API lists the oldest ones only. */
import type { Approval, Client } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import type { Decided } from './decide.ts';

/** More are not listed at once. */
export const MOST_ASKS = 1000;

/** `unlisted`: it is not among those listed, and more may wait. */
export type OneAsk =
  | { readonly is: 'loading' }
  | { readonly is: 'unlisted' }
  | { readonly is: 'waiting'; readonly ask: Approval; readonly mayNot: string | null }
  | { readonly is: 'over'; readonly decided: Decided };

interface ReadingClient {
  readonly approvals: Pick<Client['approvals'], 'list'>;
  readonly people: Pick<Client['people'], 'showMe'>;
}

export async function readAsk(client: ReadingClient, id: string, signal: AbortSignal): Promise<OneAsk> {
  const [{ items }, { role, scopes }] = await Promise.all([
    client.approvals.list({ limit: MOST_ASKS }, { signal }),
    client.people.showMe({ signal }),
  ]);
  const ask = items.find((one) => one.ask_id === id);
  if (ask === undefined) return items.length < MOST_ASKS ? GONE : { is: 'unlisted' };
  const isAllowed = role === 'operator' && scopes.includes('decide');
  return { is: 'waiting', ask, mayNot: isAllowed ? null : S.inbox.mayNot(role) };
}

const GONE: OneAsk = { is: 'over', decided: { is: 'gone', text: S.inbox.decidedElsewhere } };

/** The card stays as the person sees it while it waits. One that was listed waits no longer when it is not: only newer ones are left out. */
export function nextAsk(before: OneAsk, read: OneAsk): OneAsk {
  if (before.is === 'over') return before;
  if (before.is !== 'waiting') return read;
  if (read.is === 'waiting') return before;
  return read.is === 'unlisted' ? GONE : read;
}
