/** Prints an answer: its text as it comes, and a line for each call and each result. */
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { WorkEvent } from '../../../store/events/event.ts';
import type { Shown } from '../../../terminal/events/shown-answer.ts';
import { styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { cost, counted, shortId } from '../../../terminal/view/quantities.ts';
import type { Console } from '../console/console.ts';
import { createCallsView } from './calls-view.ts';

export interface EventViewOptions {
  /** Whether the model's thoughts are printed. */
  readonly thoughts: () => boolean;
  /** The name of the person at this terminal. */
  readonly actor: () => string;
  /** The conversation. */
  readonly conversation: () => string | null;
}

/** More of a thought than anybody reads between two calls. */
const THOUGHT_CHARS = 4000;

export interface EventView {
  show(shown: Shown): void;
  /** Shows how long the calls have been running. */
  refresh(): void;
  /** The answer has ended. */
  end(): void;
}

export function createEventView(console: Console, { thoughts, actor, conversation }: EventViewOptions): EventView {
  const calls = createCallsView(console, systemClock);
  /** True after a wait: that a daemon resumes the answer is then no news. */
  let waited = false;

  function showEvent(event: WorkEvent): void {
    switch (event.type) {
      case 'call':
        return calls.begun(event);
      case 'observation':
        return calls.ended(event);
      case 'turn':
        return calls.over();
      case 'done':
        calls.over();
        break;
      case 'thought':
        return thoughts() ? showThought(console, event.text) : undefined;
      case 'waiting':
        calls.waits(event.callId, event.result === null);
        break;
      case 'approval':
        calls.waits(event.callId, event.status === 'asked');
        break;
      case 'state':
        // Who has stopped it knows.
        if (event.state === 'cancelling' && event.by === actor()) return;
        if (event.resumed && waited) return void (waited = false);
        break;
    }
    waited ||= event.type === 'approval' || event.type === 'waiting';
    const line = lineOf(event);
    if (line !== null) console.output.line(...line);
  }

  return {
    show(shown) {
      if (shown.type === 'text') console.piece(shown.text);
      else if (shown.type === 'again') console.output.line(styled('… the answer starts again:', 'dim'));
      else if (shown.type === 'withdrawn')
        console.output.line(styled('… ignore what came of this answer so far: its attempt was lost', 'dim'));
      else if (shown.type === 'left_out')
        console.output.line(styled(leftOutLine(shown.characters, conversation()), 'dim'));
      else if (shown.type === 'output') calls.printed(shown);
      else showEvent(shown.event);
    },
    refresh: () => calls.refresh(),
    end() {
      console.endPiece();
      calls.over();
      waited = false;
    },
  };
}

function leftOutLine(characters: number, conversation: string | null): string {
  const whole = conversation === null ? '' : `; the whole answer: animus chat show ${shortId(conversation)}`;
  return `… ${counted(characters, 'more character')}${whole}`;
}

function showThought(console: Console, text: string): void {
  console.endPiece();
  console.piece(text.slice(0, THOUGHT_CHARS).toWellFormed(), 'dim');
  console.endPiece();
}

/** The line of an event; null for one that the conversation shows in another way. */
function lineOf(event: WorkEvent): readonly Part[] | null {
  switch (event.type) {
    case 'ledger':
      return ['  ', styled(`ledger ${event.seq}  ${event.entryType}  ${event.content}`, 'dim')];
    case 'waiting':
      if (event.result !== null) return null;
      return [
        '  ',
        styled(`waits  ${event.kind}${event.deadline === null ? '' : `, until ${event.deadline}`}`, 'yellow'),
      ];
    case 'approval':
      return decisionLine(event);
    case 'message':
      return event.deliveredWith === null ? null : ['  ', styled('the model has received what was told', 'dim')];
    case 'error':
      return [styled(`an attempt failed: ${event.message ?? event.endedAs}`, 'red')];
    case 'state':
      if (event.state === 'cancelling') return [styled(`${event.by ?? 'somebody'} stops the answer`, 'dim')];
      return event.resumed ? [styled('a daemon continues the answer', 'dim')] : null;
    case 'done':
      return endLine(event);
    case 'turn':
    case 'text':
    case 'thought':
    case 'call':
    case 'observation':
      return null;
    default:
      return event satisfies never;
  }
}

const DECIDED = { approve: 'approved', deny: 'denied', answer: 'answered', edit: 'changed the input' } as const;

function decisionLine({ status, by, note, subject, result }: Extract<WorkEvent, { type: 'approval' }>): Part[] | null {
  // What is asked is shown as the inbox shows it.
  if (status === 'asked') return null;
  if (status === 'closed')
    return result === 'timed_out' ? [styled(`  nobody decided in time (${subject})`, 'yellow')] : null;
  const style = status === 'deny' ? 'red' : 'green';
  return ['  ', styled(DECIDED[status], style), ` by ${by}`, note ? `: ${note}` : ''];
}

function endLine({
  state,
  error,
  workItemId,
  costUsd,
  unpricedCalls,
}: Extract<WorkEvent, { type: 'done' }>): Part[] | null {
  if (state === 'completed')
    return costUsd === 0 ? null : [styled(costUsd === null ? 'cost unknown' : cost(costUsd, unpricedCalls), 'dim')];
  if (state === 'cancelled') return [styled('the answer was stopped', 'yellow')];
  if (state === 'merged') return [styled('the answer was merged into other work', 'yellow')];
  return [
    styled(`no answer: ${error ?? state}`, 'red'),
    styled(`  /retry asks again; animus work show ${shortId(workItemId)} shows more`, 'dim'),
  ];
}
