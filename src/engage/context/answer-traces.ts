/** What stays of the tool traffic of an answer when the next one of its conversation begins. Pure. */
import { entryText } from '../../core/text/fence.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { tracesText } from '../prompt/conversation.ts';
import { cutMiddle, fitEntries } from '../prompt/cut-text.ts';
import { closedTurns } from './closed-answers.ts';
import { ledgerWrites } from './ledger-writes.ts';

const MAX_CALLS = 40;
const MAX_INPUT_BYTES = 200;
const MAX_BYTES = 8000;

/**
 * The calls that the newest ended answer still had in its context, one line each, and what it recorded meanwhile; null if it made none. It
 * is recorded with the first message of the next answer.
 */
export function answerTraces(inherited: Transcript): string | null {
  const turns = closedTurns(inherited);
  const calls = turns.flatMap((turn) => turn.calls).filter(({ name }) => name !== 'ledger_append');
  const entries = turns.flatMap(ledgerWrites).map(({ type, content }) => `${type}: ${entryText(content)}`);
  if (calls.length === 0 && entries.length === 0) return null;
  const newest = calls.slice(-MAX_CALLS);
  const leftOut = calls.length - newest.length;
  const lines = [...(leftOut > 0 ? [`(${leftOut} earlier calls)`] : []), ...newest.map(callLine), ...entries];
  return tracesText(lines.map(fitEntries(lines, MAX_BYTES)));
}

function callLine({ name, input, finalInput, isError, output }: RecordedCall): string {
  const shown = cutMiddle(JSON.stringify(finalInput ?? input), MAX_INPUT_BYTES, () => '…');
  const artifact = /artifact ([0-9a-f-]{36})/.exec(output ?? '')?.[1];
  const result = `${isError ? 'failed, ' : ''}${Buffer.byteLength(output ?? '')} bytes`;
  return `${name} ${shown}: ${result}${artifact === undefined ? '' : `, whole in artifact ${artifact}`}`;
}
