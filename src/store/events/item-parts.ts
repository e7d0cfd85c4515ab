/** The parts of an item's events that are lists with a number: submission, ledger, messages, marks, decisions, ends. */
import { isTerminal } from '../../core/work/work.ts';
import type { EventBody } from './event.ts';
import type { DecisionFacts, ItemFacts, MarkFacts } from './facts.ts';
import type { Entry, Part } from './part.ts';
import { isPast, type Position } from './position.ts';

/** What began the item. */
export function submission(facts: ItemFacts, position: Position): Part {
  const state = facts.state === 'merged' ? 'merged' : 'queued';
  const event: EventBody = { ...STATE, state, by: facts.submittedBy };
  return whole([{ step: { part: 'created' }, at: facts.createdAt, event }], position);
}

const STATE = { type: 'state', focus: null, resumed: false, by: null, note: null } as const;

/** The lists of which a read takes so many rows: ledger, messages, decisions, marks. */
export function listParts({ ledger, messages, decisions, marks, limit }: ItemFacts): Part[] {
  const lists: Entry[][] = [
    ledger.map(({ seq, type: entryType, content, at }) => {
      return { step: { part: 'ledger', number: seq }, at, event: { type: 'ledger', seq, entryType, content } };
    }),
    messages.map(({ id, author, authorIs, text, wake, at }) => {
      const event = { type: 'message', messageId: id, author, authorIs, text, wake, deliveredWith: null } as const;
      return { step: { part: 'message', number: id }, at, event };
    }),
    decisions.map((one) => ({ step: { part: 'decision', number: one.seq }, at: one.at, event: decisionEvent(one) })),
    marks.map((mark) => ({ step: { part: 'mark', number: mark.seq }, at: mark.at, event: markEvent(mark) })),
  ];
  return lists.map((entries) => ({ entries, more: entries.length >= limit }));
}

function markEvent({ what, detail }: MarkFacts): EventBody {
  switch (what) {
    case 'resumed':
      return { ...STATE, state: 'running', focus: detail.focus ?? null, resumed: true };
    case 'failed':
      return { type: 'error', focus: null, endedAs: 'failed', message: detail.error ?? null };
    case 'delivered':
      return {
        type: 'message',
        messageId: detail.message ?? 0,
        author: detail.author ?? '',
        authorIs: detail.authorIs ?? '',
        text: detail.text ?? null,
        wake: false,
        deliveredWith: detail.turn ?? 0,
      };
    case 'waiting':
    case 'resolved':
      return waitEvent(what, detail);
    default:
      return what satisfies never;
  }
}

function waitEvent(what: 'waiting' | 'resolved', detail: MarkFacts['detail']): EventBody {
  const {
    call_id: callId = null,
    ask_id: askId = null,
    kind = 'timer',
    subject = null,
    hash = null,
    request = null,
  } = detail;
  const deadline = typeof detail.deadline === 'number' ? new Date(detail.deadline).toISOString() : null;
  const result = detail.result ?? null;
  if (subject === null) return { type: 'waiting', callId: callId ?? '', kind, deadline, result };
  const status = what === 'waiting' ? 'asked' : 'closed';
  return { type: 'approval', askId, callId, status, subject, request, hash, deadline, by: null, note: null, result };
}

function decisionEvent({ action, askId, callId, note, by }: DecisionFacts): EventBody {
  if (action === 'cancel') return { ...STATE, state: 'cancelling', by, note };
  if (action === 'retry') return { ...STATE, state: 'queued', by };
  const asked = { subject: null, request: null, hash: null, deadline: null, result: null };
  return { type: 'approval', askId, callId, status: action, by, note, ...asked };
}

/** Earlier ends, after which the work was retried, and the present one. */
export function endPart(facts: ItemFacts, position: Position): Part {
  const { state, said, summary, error, mergedInto, costUsd, unpricedCalls, resolvedAt } = facts;
  const entries = facts.ends.map(({ nth, detail, at }): Entry => {
    const { state: endedAs, error: reason, costUsd: cost, unpricedCalls: unpriced = 0 } = detail;
    const rest = { summary: null, error: reason, mergedInto: null, costUsd: cost, unpricedCalls: unpriced };
    const event: EventBody = { type: 'done', state: endedAs, ...rest };
    return { step: { part: 'ends', number: nth }, at, event };
  });
  if (isTerminal(state) && resolvedAt !== null) {
    const { text, leftOut } = said ?? {};
    const stays = { ...(text !== undefined && { text }), ...(leftOut && { leftOut }) };
    const event: EventBody = { type: 'done', state, ...stays, summary, error, mergedInto, costUsd, unpricedCalls };
    entries.push({ step: { part: 'ends', number: entries.length + 1 }, at: resolvedAt, event, last: true });
  }
  return whole(entries, position);
}

function whole(entries: readonly Entry[], position: Position): Part {
  return { entries: entries.filter(({ step }) => !isPast(position, step)), more: false };
}
