/** Prints an answer: its text as it comes, and a line for each call and each result. */
import type { WorkEvent } from '../../../store/events/event.ts';
import { type Part, styled } from '../../view/output.ts';
import { counted, duration, shortId, usd } from '../../view/quantities.ts';
import type { Shown } from '../follow/live-text.ts';
import type { Console } from '../terminal/console.ts';

export interface EventViewOptions {
  /** Whether the model's thoughts are printed. */
  readonly thoughts: () => boolean;
  /** The name of whoever sits here. */
  readonly actor: () => string;
}

/** More of a thought than anybody reads between two calls. */
const THOUGHT_CHARS = 4000;

export function createEventView(console: Console, { thoughts, actor }: EventViewOptions): (shown: Shown) => void {
  return (shown) => {
    if (shown.type === 'text') console.piece(shown.text);
    else if (shown.type === 'again') console.output.line(styled('… the answer begins again:', 'dim'));
    else if (shown.event.type !== 'thought') showEvent(console, shown.event, actor());
    else if (thoughts()) {
      console.endPiece();
      console.piece(shown.event.text.slice(0, THOUGHT_CHARS).toWellFormed(), 'dim');
      console.endPiece();
    }
  };
}

function showEvent(console: Console, event: WorkEvent, actor: string): void {
  // Who has stopped it knows.
  if (event.type === 'state' && event.state === 'cancelling' && event.by === actor) return;
  const line = lineOf(event);
  if (line !== null) console.output.line(...line);
}

/** The line of an event; null for one that the conversation shows in another way. */
function lineOf(event: WorkEvent): readonly Part[] | null {
  switch (event.type) {
    case 'call':
      return [indent(event), styled(`→ ${event.name}`, 'cyan'), styled(`  ${JSON.stringify(event.input)}`, 'dim')];
    case 'observation':
      return [
        indent(event),
        event.isError ? styled('✗', 'red') : styled('✓', 'green'),
        ` ${event.name}`,
        styled(`  ${event.durationMs === null ? '' : `${duration(event.durationMs)}  `}${gist(event.output)}`, 'dim'),
      ];
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
      return event.deliveredWith === null ? null : ['  ', styled('the model has got what was told', 'dim')];
    case 'error':
      return [styled(`an attempt failed: ${event.message ?? event.endedAs}`, 'red')];
    case 'state':
      if (event.state === 'cancelling') return [styled(`${event.by ?? 'somebody'} stops the answer`, 'dim')];
      return event.resumed ? [styled('a daemon goes on with the answer', 'dim')] : null;
    case 'done':
      return endLine(event);
    case 'turn':
    case 'text':
    case 'thought':
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

function endLine({ state, error, workItemId, costUsd }: Extract<WorkEvent, { type: 'done' }>): Part[] | null {
  if (state === 'completed') return costUsd > 0 ? [styled(usd(costUsd), 'dim')] : null;
  if (state === 'cancelled') return [styled('the answer was stopped', 'yellow')];
  if (state === 'merged') return [styled('the answer was merged into other work', 'yellow')];
  return [
    styled(`no answer: ${error ?? state}`, 'red'),
    styled(`  /retry asks again; animus work show ${shortId(workItemId)} shows more`, 'dim'),
  ];
}

/** Calls that code made stand below it. */
function indent({ parentCallId }: { readonly parentCallId: string | null }): string {
  return parentCallId === null ? '  ' : '    ';
}

function gist(output: string): string {
  const lines = output.trim().split('\n');
  return lines.length > 1 ? `${lines[0]}  … ${counted(lines.length, 'line')}` : (lines[0] ?? '');
}
