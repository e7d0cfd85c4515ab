/** Keeps the images and documents of a result. */
import { hashedId } from '../../core/work/hashed-id.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { finishToolCalls, type RecordedCall } from '../../store/transcript/calls.ts';
import { keepFile } from '../../store/transcript/code-calls.ts';
import type { ShownFile } from '../../store/transcript/shown-files.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { hasFiles, type OutputFile } from '../../tools/media.ts';
import { fileFollows, fileNotShown } from '../prompt/shown-files.ts';
import { type CallEnd, callResult, ended } from './call-end.ts';
import type { CallScope } from './call-scope.ts';
import type { CallsRun, Reach } from './reach.ts';
import { type JudgedFile, judgeFile, type Sight } from './sight.ts';
import { withinLease } from './within-lease.ts';

/** Records the end of a call whose result has files, in one transaction with those that the model is shown, and returns the call. */
export async function finishWithFiles(
  turn: RecordedTurn,
  call: RecordedCall,
  end: CallEnd,
  durationMs: number,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  const record = recorderOf(turn, call, end, durationMs, reach);
  const kept = await withinLease(() => run.journal.alone(() => reach.db.transaction(record)), run.signal);
  return ended(turn, call, kept, durationMs, run);
}

/**
 * Judges the files of a result, and returns what records the end with those that the model is shown, in the transaction that it gets: also again, after one that
 * failed. The output then says of each file that it follows, or why not. A file is kept once per item.
 */
export function recorderOf(
  turn: RecordedTurn,
  call: RecordedCall,
  end: CallEnd,
  durationMs: number,
  { callScope, sight }: Reach,
): (tx: Queryable) => Promise<CallEnd> {
  const { output } = end;
  const shownFiles = sight && hasFiles(output) ? (output.files ?? []) : [];
  const files = shownFiles.map((file) => ({ file, judged: judge(file, turn, sight!) }));
  return async (tx) => {
    const shown: ShownFile[] = [];
    const lines: string[] = [];
    for (const { file, judged } of files) {
      const kept: Kept = 'words' in judged ? judged : await keep(file, judged, tx, callScope);
      lines.push(kept.words);
      if (kept.shown) shown.push(kept.shown);
    }
    const whole = { ...end, output: { ...output, content: [output.content, ...lines].join('\n') }, shown };
    await finishToolCalls(tx, callScope, [callResult(turn, call, whole, durationMs)]);
    return whole;
  };
}

/** What the result says of a file, and the file where it is shown. */
interface Kept {
  readonly words: string;
  readonly shown?: ShownFile;
}

function judge({ name, mediaType, bytes }: OutputFile, turn: RecordedTurn, sight: Sight): JudgedFile {
  const judged = judgeFile({ name, mediaType }, bytes, sight);
  if ('words' in judged) return judged;
  const full = sight.take(turn, judged.media, bytes.length);
  return full === null ? judged : { words: fileNotShown(name, full) };
}

async function keep(
  { name, bytes, artifactId }: OutputFile,
  { media, unseen }: Extract<JudgedFile, { media: unknown }>,
  tx: Queryable,
  scope: CallScope,
): Promise<Kept> {
  const id = artifactId ?? hashedId(`${scope.workItemId}\0`, bytes);
  const kept = artifactId === undefined ? await keepFile(tx, scope, { id, name, bytes }) : null;
  if (kept && 'problem' in kept) return { words: fileNotShown(name, `it cannot be kept: ${kept.problem}`) };
  return { words: fileFollows(name, id, unseen), shown: { artifactId: id, bytes: bytes.length, media } };
}
