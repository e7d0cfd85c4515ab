/** Prints what a focus does, for the commands that run one themselves. */

import type { Phase } from '../../core/work/words.ts';
import type { FocusEvent } from '../../engage/events/events.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
import { counted, duration } from '../../terminal/view/quantities.ts';
import { type AnswerView, createAnswerView } from './answer-view.ts';

/** One line per phase on what it is for; each command has its own wording. */
export type PhaseCaptions = Readonly<Record<Phase, string>>;

/** How much of a focus is shown. */
export interface FocusViewOptions {
  readonly captions: PhaseCaptions;
  /** Prints the full output of failed calls, to find the reason. Default: its first line. */
  readonly wholeFailures?: boolean;
}

/** Prints each event as it happens, in one or two lines. On a terminal answers are streamed; starts are left out. */
export function createFocusView(output: Output, options: FocusViewOptions): (event: FocusEvent) => void {
  const answers = createAnswerView(output, (turn) => [styled(`turn ${turn}  `, 'cyan')]);
  return (event) => showFocusEvent(output, event, options, answers);
}

function showFocusEvent(
  output: Output,
  event: FocusEvent,
  { captions, wholeFailures = false }: FocusViewOptions,
  answers: AnswerView,
): void {
  switch (event.type) {
    case 'focus_started':
      output.line(`  → claimed by the daemon, focus ${event.number} of faculty `, styled(event.faculty, 'cyan'));
      return;
    case 'phase':
      output.line();
      output.line(styled(event.phase, 'bold'), styled(`  ${captions[event.phase]}`, 'dim'));
      return;
    case 'turn_recorded':
      answers.recorded(event);
      if (event.calls > 1) output.line(styled(`  ${counted(event.calls, 'call')} at once`, 'dim'));
      return;
    case 'tool_ended':
      showCall(output, event, wholeFailures && event.isError);
      return;
    case 'ledger':
      output.line('  ', styled(`ledger ${event.seq}  ${event.entryType}  `, 'yellow'), event.content);
      return;
    case 'ended':
      if (event.reason !== null && !wholeFailures) output.line(styled(`  ${event.state}: ${event.reason}`, 'red'));
      return;
    case 'waiting':
      output.line('  ', styled(`waiting  ${event.kind}  ${event.deadline ?? ''}`, 'yellow'));
      return;
    case 'text':
    case 'restart':
      answers.coming(event);
      return;
    case 'message':
    case 'message_delivered':
    case 'focus_ended':
    case 'turn_started':
    case 'tool_started':
    case 'output':
      return;
    default:
      return event satisfies never;
  }
}

function showCall(output: Output, event: Extract<FocusEvent, { type: 'tool_ended' }>, whole: boolean): void {
  if (event.name === 'ledger_append' && !event.isError) return;
  const mark: Part = event.isError ? styled('✗', 'red') : styled('✓', 'green');
  const short = whole ? '' : `  ${gist(event)}`;
  const indent = event.parentCallId === undefined ? '  ' : '    ';
  output.line(indent, mark, ` ${event.name}  `, styled(`${duration(event.durationMs)}${short}`, 'dim'));
  if (whole) output.block(event.output, '      ');
}

/** The most useful line of an output: an exit code with test counts, else the first line. */
function gist({ name, output }: Extract<FocusEvent, { type: 'tool_ended' }>): string {
  const lines = output.split('\n');
  const first = lines[0] ?? '';
  if (name !== 'bash') return lines.length > 1 ? `${first}  … ${counted(lines.length, 'line')}` : first;
  const counts = lines.filter((line) => /^(ℹ|#) (pass|fail) \d+/.test(line)).map((line) => line.slice(2));
  return [first, ...counts].join(', ');
}
