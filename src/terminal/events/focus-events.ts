/** Prints what a focus does, for the commands that run one themselves. */

import type { Phase } from '../../core/work/words.ts';
import type { FocusEvent } from '../../engage/events/events.ts';
import { type Output, styled } from '../view/output.ts';
import type { Part } from '../view/part.ts';
import { counted, duration } from '../view/quantities.ts';
import { createAnswerView } from './answer-view.ts';

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
  /** What the last answer asked for. */
  let calls = 0;
  return (event) => {
    if (event.type === 'turn' || event.type === 'text' || event.type === 'withdrawn') return answers.take(event);
    answers.settle();
    if (event.type === 'call') return void (calls += event.parentCallId === null ? 1 : 0);
    if (calls > 1) output.line(styled(`  ${counted(calls, 'call')} at once`, 'dim'));
    calls = 0;
    showFocusEvent(output, event, options);
  };
}

type Shown = Exclude<FocusEvent, { readonly type: 'turn' | 'text' | 'withdrawn' | 'call' }>;

function showFocusEvent(output: Output, event: Shown, { captions, wholeFailures = false }: FocusViewOptions): void {
  switch (event.type) {
    case 'state':
      return showState(output, event, wholeFailures);
    case 'phase':
      output.line();
      output.line(styled(event.phase, 'bold'), styled(`  ${captions[event.phase]}`, 'dim'));
      return;
    case 'observation':
      return event.live ? undefined : showCall(output, event, wholeFailures && event.isError);
    case 'ledger':
      output.line('  ', styled(`ledger ${event.seq}  ${event.entryType}  `, 'yellow'), event.content);
      return;
    case 'waiting':
      output.line('  ', styled(`waiting  ${event.kind}  ${event.deadline ?? ''}`, 'yellow'));
      return;
    case 'asked':
      return;
    default:
      return event satisfies never;
  }
}

function showState(
  output: Output,
  { state, focus, faculty, note }: Extract<FocusEvent, { type: 'state' }>,
  isTold: boolean,
): void {
  if (state === 'running')
    output.line(`  → claimed by the daemon, focus ${focus} of faculty `, styled(faculty, 'cyan'));
  else if (note !== null && !isTold) output.line(styled(`  ${state}: ${note}`, 'red'));
}

type Observation = Extract<FocusEvent, { readonly type: 'observation'; readonly live?: never }>;

function showCall(output: Output, event: Observation, whole: boolean): void {
  if (event.name === 'ledger_append' && !event.isError) return;
  const mark: Part = event.isError ? styled('✗', 'red') : styled('✓', 'green');
  const short = whole ? '' : `  ${gist(event)}`;
  const indent = event.parentCallId === null ? '  ' : '    ';
  output.line(indent, mark, ` ${event.name}  `, styled(`${duration(event.durationMs ?? 0)}${short}`, 'dim'));
  if (whole) output.block(event.output, '      ');
}

/** The most useful line of an output: an exit code with test counts, else the first line. */
function gist({ name, output }: Observation): string {
  const lines = output.split('\n');
  const first = lines[0] ?? '';
  if (name !== 'bash') return lines.length > 1 ? `${first}  … ${counted(lines.length, 'line')}` : first;
  const counts = lines.filter((line) => /^(ℹ|#) (pass|fail) \d+/.test(line)).map((line) => line.slice(2));
  return [first, ...counts].join(', ');
}
