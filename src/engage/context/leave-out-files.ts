/** Removes the images and documents of earlier results from the context. When it is full, they are the first to go. */
import type { Queryable } from '../../store/sql/database.ts';
import { filesFrom } from '../../store/transcript/shown-files.ts';
import { ownPart, type Transcript } from '../../store/transcript/transcript.ts';
import { count } from '../../telemetry/metrics.ts';
import { MAX_BYTES, MAX_FILES } from '../calls/sight.ts';
import { FILES_LEFT_OUT } from '../prompt/shown-files.ts';
import type { LoopFocus } from '../turn/loop-state.ts';
import { recordMessage } from './context-prepare.ts';

/** Records that those of all turns but the newest, whose results the model has not seen, are left out, and frees their bytes; null if none is shown. */
export async function leaveOutFiles(
  transcript: Transcript,
  { key, faculty }: Pick<LoopFocus, 'key' | 'faculty'>,
  db: Queryable,
): Promise<Transcript | null> {
  const newest = ownPart(transcript).turns.at(-1)?.turn ?? 0;
  const from = filesFrom(transcript.messages);
  if (!transcript.turns.some(({ turn, calls }) => turn >= from && turn < newest && calls.some(({ shown }) => shown)))
    return null;
  const message = await recordMessage(db, key, { afterTurn: newest, kind: 'left_out', content: FILES_LEFT_OUT });
  count('work.context.files_left_out', 1, { faculty });
  const freed = transcript.turns.map((turn) =>
    turn.turn < newest ? { ...turn, calls: turn.calls.map(withoutBytes) } : turn,
  );
  return { turns: freed, messages: [...transcript.messages, message] };
}

function withoutBytes(call: Transcript['turns'][number]['calls'][number]) {
  if (call.shown === undefined) return call;
  return { ...call, shown: call.shown.map((file) => ({ ...file, media: { ...file.media, data: '' } })) };
}

/** Whether the next request would have more files than one can take. */
export function hasTooManyFiles({ turns, messages }: Transcript): boolean {
  const from = filesFrom(messages);
  const shown = turns.flatMap(({ turn, calls }) => (turn < from ? [] : calls.flatMap(({ shown = [] }) => shown)));
  if (shown.length === 0) return false;
  const attached = messages.flatMap(({ media }) => (media === undefined ? [] : media.data.length * 0.75));
  const bytes = [...attached, ...shown.map(({ bytes }) => bytes)].reduce((sum, each) => sum + each, 0);
  return attached.length + shown.length > MAX_FILES || bytes > MAX_BYTES;
}
