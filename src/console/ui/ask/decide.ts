/** Sends a decision about what was shown, and says what became of it. */
import { ApiError, type Approval, type ApproveInput, type Client } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';

/** What a card needs of a client. */
export type DecidingClient = Pick<Client, 'approvals' | 'skills'>;

export type Decision =
  | {
      readonly is: 'approve';
      readonly note: string;
      readonly input?: unknown;
      readonly always?: ApproveInput['always'];
    }
  | { readonly is: 'deny'; readonly note: string }
  | { readonly is: 'answer'; readonly text: string };

/** `done`: it counts. `gone`: it no longer waits, or something else does. `failed`: nothing was changed. */
export interface Decided {
  readonly is: 'done' | 'gone' | 'failed';
  readonly text: string;
}

const CONFLICT = 409;
const NOT_FOUND = 404;

export async function decide(client: DecidingClient, ask: Approval, decision: Decision): Promise<Decided> {
  try {
    return { is: 'done', text: await send(client, ask, decision) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const gone = error instanceof ApiError && (error.status === CONFLICT || error.status === NOT_FOUND);
    return { is: gone ? 'gone' : 'failed', text };
  }
}

/** With the hash of what the person saw: something else is not decided. */
async function send(client: DecidingClient, ask: Approval, decision: Decision): Promise<string> {
  const { ask_id, hash, work_item_id: id } = ask;
  const bound = { ask_id, hash };
  if (id === null) return sendOfSkill(client, ask, decision);
  switch (decision.is) {
    case 'approve': {
      const { note, input, always } = decision;
      const { budget, grant_id: grant } = await client.approvals.approve(id, { ...bound, note, input, always });
      if (budget !== null) return S.ask.raised(budget.amount, budget.unit, budget.items, budget.waiting);
      return grant === null ? S.ask.approved : S.ask.approvedAlways(grant);
    }
    case 'deny': {
      const { budget } = await client.approvals.deny(id, { ...bound, note: decision.note });
      return budget === null ? S.ask.wasDenied : S.ask.deniedBudget(budget.items, budget.waiting);
    }
    case 'answer':
      await client.approvals.answer(id, { ask_id, text: decision.text });
      return S.ask.answered;
  }
}

/** The work that has proposed it may be gone: then it is decided by its name. */
async function sendOfSkill(client: DecidingClient, { request, hash }: Approval, decision: Decision): Promise<string> {
  const name = String(request['skill']);
  if (decision.is === 'approve') await client.skills.approve(name, { note: decision.note, hash });
  else if (decision.is === 'deny') await client.skills.deny(name, { note: decision.note, hash });
  return decision.is === 'approve' ? S.ask.approved : S.ask.wasDenied;
}
