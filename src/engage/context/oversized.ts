/** Results too large for the context: stored whole as artifacts, with only beginning and end in the context. */
import { hashedId } from '../../core/work/hashed-id.ts';
import { BYTES_PER_TOKEN } from '../../core/work/tokens.ts';
import type { StoredOutput } from '../../store/transcript/artifacts.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { cutMiddle, fairShare } from '../prompt/cut-text.ts';
import { leftOutNote } from '../prompt/prompt.ts';
import type { ContextLimits } from './context-bounds.ts';

/** At least this much of a result is shown, however small the window: otherwise only the note would fit. */
const MIN_SHOWN_BYTES = 1000;

/**
 * Returns the results of a turn that are too large, each with the part to show. No result is longer than `limits.result`
 * then, and all together are no longer than `limits.results`; the longest ones are cut first. Idempotent.
 */
export function oversizedOutputs(turn: RecordedTurn, limits: ContextLimits, focusId: string): StoredOutput[] {
  // The parts that read_output returns are bounded already, and cutting one would only create another artifact.
  const calls = turn.calls.filter(({ name, output }) => output !== null && name !== 'read_output');
  const sizes = calls.map(({ output }) => Buffer.byteLength(output ?? ''));
  const fair = fairShare(sizes, limits.results * BYTES_PER_TOKEN);
  const most = Math.max(MIN_SHOWN_BYTES, Math.floor(Math.min(fair, limits.result * BYTES_PER_TOKEN)));
  return calls.flatMap(({ callId, output }, index) => {
    if (sizes[index]! <= most) return [];
    // The same output has the same id within a focus, so it is stored once, and repeated calls have equal results.
    const artifactId = hashedId(`${focusId}\0`, output ?? '');
    const shown = cutMiddle(output ?? '', most, (leftOut) => leftOutNote(leftOut, sizes[index]!, artifactId));
    return [{ turn: turn.turn, callId, artifactId, shown }];
  });
}

/** Returns the turn with the shown parts in place of the stored outputs. */
export function withShown(turn: RecordedTurn, stored: readonly StoredOutput[]): RecordedTurn {
  const shown = new Map(stored.map((output) => [output.callId, output.shown]));
  return { ...turn, calls: turn.calls.map((call) => ({ ...call, output: shown.get(call.callId) ?? call.output })) };
}
