/** Results too large for the context: kept whole as artifacts, their beginning and end shown. */
import { createHash } from 'node:crypto';
import { BYTES_PER_TOKEN } from '../../core/work/tokens.ts';
import type { StoredOutput } from '../../store/transcript/artifacts.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { cutMiddle, fairShare } from '../prompt/cut-text.ts';
import { leftOutNote } from '../prompt/prompt.ts';
import type { ContextLimits } from './context-bounds.ts';

/** However small the window, this much of a result is shown: less would be the note alone. */
const MIN_SHOWN_BYTES = 1000;

/**
 * The results of a turn that are too large, each with what is to be shown of it: none longer than `limits.result`, and all
 * together no longer than `limits.results`, the longest cut first. Nothing is left to cut in what this returns.
 */
export function oversizedOutputs(turn: RecordedTurn, limits: ContextLimits, focusId: string): StoredOutput[] {
  // A part that read_output returns is bounded already, and a cut part would only name another artifact.
  const calls = turn.calls.filter(({ name, output }) => output !== null && name !== 'read_output');
  const sizes = calls.map(({ output }) => Buffer.byteLength(output ?? ''));
  const fair = fairShare(sizes, limits.results * BYTES_PER_TOKEN);
  const most = Math.max(MIN_SHOWN_BYTES, Math.floor(Math.min(fair, limits.result * BYTES_PER_TOKEN)));
  return calls.flatMap(({ callId, output }, index) => {
    if (sizes[index]! <= most) return [];
    const artifactId = artifactIdOf(focusId, output ?? '');
    const shown = cutMiddle(output ?? '', most, (leftOut) => leftOutNote(leftOut, sizes[index]!, artifactId));
    return [{ turn: turn.turn, callId, artifactId, shown }];
  });
}

/** The turn with what is shown in place of what was stored. */
export function withShown(turn: RecordedTurn, stored: readonly StoredOutput[]): RecordedTurn {
  const shown = new Map(stored.map((output) => [output.callId, output.shown]));
  return { ...turn, calls: turn.calls.map((call) => ({ ...call, output: shown.get(call.callId) ?? call.output })) };
}

/** The same output of a focus has the same id (a UUID of version 8): it is kept once, and a repeated call shows as one. */
function artifactIdOf(focusId: string, output: string): string {
  const hex = createHash('sha256').update(`${focusId}\0${output}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
