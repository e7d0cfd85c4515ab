/** A focus as `animus work show` prints it. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { WorkState } from '../../../core/work/work.ts';
import type { FocusView, MessageView, ToolCallView, TurnView } from '../../../store/views/focus-views.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { age, bytes, cost, counted, duration, grouped } from '../../../terminal/view/quantities.ts';
import { errorText, heading } from '../../../terminal/view/show-outcome.ts';

/** `full`: texts are whole, and everything that the engine wrote into the context is there. `state`: of the work item. */
interface HowShown {
  readonly full: boolean;
  readonly state: WorkState;
}

/** Prints a focus with its turns and calls. */
export function showFocus(output: Output, focus: FocusView, { full, state }: HowShown): void {
  const ms = (focus.ended_at?.getTime() ?? Date.now()) - focus.started_at.getTime();
  const resumed = focus.resumes > 0 ? `, resumed ${counted(focus.resumes, 'time')}` : '';
  const how = focus.ended_as ?? `in ${focus.phase}`;
  heading(output, `Focus ${focus.number}`, `  ${how} on ${focus.host}, ${duration(ms)}${resumed}`);
  if (focus.directory !== null) output.line(styled(`  ${focus.directory}${leftIn(focus)}`, 'dim'));
  if (focus.branch !== null) output.line('  ', styled('branch ', 'dim'), focus.branch);
  const messages = focus.messages ?? [];
  showMessages(output, messages, 0);
  for (const turn of focus.turns) {
    showTurn(output, turn, { full, isOpen: focus.ended_as === null, state });
    showMessages(output, messages, turn.turn);
  }
  if (focus.error !== null && focus.ended_as !== 'completed')
    output.line('  ', styled(`error ${errorText(focus.error)}`, 'red'));
}

/** Only what this host sees: the directory may be on another one, and a path that is not there proves nothing about that. */
function leftIn({ ended_as, host, directory }: FocusView): string {
  if (ended_as === null || directory === null || host !== hostname() || !existsSync(directory)) return '';
  return '  with the files that it left';
}

function showTurn(
  output: Output,
  turn: TurnView,
  { full, isOpen, state }: HowShown & { readonly isOpen: boolean },
): void {
  if (turn.cut_off !== null) {
    output.line(`  turn ${turn.turn}  `, styled('cut off by the cancel', 'dim'));
    if (full) output.block(turn.cut_off, '    ');
    else output.line('    ', turn.cut_off);
    return;
  }
  if (turn.recorded_at === null) {
    output.line(`  turn ${turn.turn}  `, isOpen ? openTurn(turn, state) : styled('not answered', 'dim'), lostOf(turn));
    return;
  }
  const cached =
    turn.cache_read_tokens && turn.input_tokens
      ? ` (${Math.round((100 * turn.cache_read_tokens) / turn.input_tokens)} % cached)`
      : '';
  const tokens =
    turn.input_tokens === null
      ? '  tokens unknown'
      : `  ${grouped(turn.input_tokens)} in${cached}, ${grouped(turn.output_tokens ?? 0)} out`;
  const took = turn.duration_ms === null ? '' : `  ${duration(turn.duration_ms)}`;
  output.line(
    `  turn ${turn.turn}  `,
    styled(turn.stop_reason ?? '', turn.stop_reason === 'refusal' ? 'red' : 'plain'),
    styled(
      `  ${turn.model ?? ''}${tokens}  ${turn.cost_usd === null ? 'cost unknown' : cost(turn.cost_usd)}${turn.estimated ? ' (estimated)' : ''}${took}`,
      'dim',
    ),
    lostOf(turn),
  );
  if (turn.text && full) output.block(turn.text, '    ');
  else if (turn.text) output.line('    ', turn.text);
  for (const call of turn.tool_calls) showCall(output, isOpen ? call : overCall(call), full);
}

/** What was lost on the way to an answer, or without one. */
function lostOf({ lost_requests: lost, lost_usd: usd }: TurnView): Part {
  if (lost === 0 && usd === 0) return '';
  const requests = lost === 0 ? 'requests lost' : `${counted(lost, 'request')} lost`;
  return styled(`  ${requests}${usd === 0 ? '' : `, ${cost(usd)}`}`, 'yellow');
}

/** A turn without an answer yet. Only work that runs has asked a model, and work that waits for a batch. */
function openTurn({ begun_at: begunAt }: TurnView, state: WorkState): Part {
  if (state === 'running' || state === 'waiting')
    return styled(`waiting for the model, asked ${age(begunAt, Date.now())}`, 'cyan');
  return styled('not answered, asked again when the work goes on', 'dim');
}

/** A call that had not ended when its focus did no longer waits for anything. */
function overCall(call: ToolCallView): ToolCallView {
  const { calls = [] } = call;
  const state = ['pending', 'started', 'waiting'].includes(call.state) ? 'not ended' : call.state;
  return { ...call, state, calls: calls.map(overCall) };
}

/** Without `--full`, the calls of code are shown up to this many. */
const SHOWN_CALLS = 20;

function showCall(output: Output, call: ToolCallView, full: boolean, indent = '    '): void {
  const bad = call.is_error === true || call.state === 'failed' || call.state === 'in_doubt' || call.state === 'denied';
  const took = call.duration_ms === null ? '' : `, ${duration(call.duration_ms)}`;
  const size = call.output_bytes === null ? '' : `, ${bytes(call.output_bytes)}`;
  const state = styled(`${bad && call.state === 'done' ? 'error' : call.state}${took}${size}`, bad ? 'red' : 'green');
  output.line(indent, styled(call.name, 'bold'), '  ', state, '  ', styled(full ? '' : call.input, 'dim'));
  const inner = `${indent}  `;
  if (full) output.block(call.input, inner);
  if (call.final_input !== null) {
    output.line(inner, styled('ran with', 'cyan'), '  ', styled(full ? '' : call.final_input, 'dim'));
    if (full) output.block(call.final_input, inner);
  }
  const { calls = [] } = call;
  for (const each of full ? calls : calls.slice(0, SHOWN_CALLS)) showCall(output, each, full, inner);
  const left = full ? 0 : calls.length - SHOWN_CALLS;
  if (left > 0)
    output.line(inner, styled(`and ${counted(left, 'more call')} by this code; see them with --full`, 'dim'));
  if (full && call.output !== null) output.block(call.output, inner);
  else if (bad && call.output !== null) output.line(inner, styled(call.output, 'red'));
}

/** What the engine wrote into the context after a turn: the first message, notices, and the stubs and summaries that took the place of older ones. */
function showMessages(output: Output, messages: readonly MessageView[], afterTurn: number): void {
  for (const { after_turn: turn, kind, content, keeps_from: keepsFrom } of messages) {
    if (turn !== afterTurn) continue;
    const folded = keepsFrom === null ? '' : `, in place of what came before turn ${keepsFrom}`;
    output.line('  ', styled(kind, 'cyan'), styled(folded, 'dim'));
    output.block(content, '    ');
  }
}
