/** Orient: builds the first message of the focus from the work item, the ledger so far and the hook's context. */
import { AnimusError } from '../../core/errors/errors.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import { orientMessage } from '../../engage/prompt/prompt.ts';
import { readLastFailure } from '../../store/transcript/earlier-foci.ts';
import { readLedgerKeptAfter } from '../../store/transcript/kept-ledger.ts';
import { type LedgerEntry, readLedger } from '../../store/transcript/ledger.ts';
import { addMessage } from '../../store/transcript/messages.ts';
import { readTranscript } from '../../store/transcript/transcript.ts';
import { span } from '../../telemetry/spans.ts';
import { recordHookLedger, runHook } from './focus-hook.ts';
import { type Focus, spanKey } from './focus-scope.ts';
import { describeWorkspace } from './focus-workspace.ts';

/** Orients a focus once: a resumed focus keeps its first message. */
export async function orient(focus: Focus): Promise<void> {
  const { db } = focus.means;
  const transcript = await readTranscript(db, focus.key.focusId);
  if (transcript.messages.some((message) => message.kind === 'orient')) return;
  await span('work.orient', spanKey(focus), async () => {
    focus.emit({ type: 'phase', phase: 'orient' });
    const kept = { after: await readLedgerKeptAfter(db, focus.work.id) };
    const before = await readLedger(db, focus.work.id, kept);
    const found = await orientHook(focus, before);
    const work = { ...focus.work, params: { ...focus.work.params, ...found.params } };
    // Read again: the hook may have written to it.
    const ledger = await readLedger(db, focus.work.id, kept);
    const failure = await readLastFailure(db, focus.work.id, focus.row.number);
    const content = orientMessage(work, ledger, found.context, describeWorkspace(focus), failure);
    await addMessage(db, focus.key, { afterTurn: 0, kind: 'orient', content }, estimateTokens(content));
  });
}

interface Orientation {
  readonly context: string | null;
  readonly params: Readonly<Record<string, unknown>>;
}

async function orientHook(focus: Focus, ledger: readonly LedgerEntry[]): Promise<Orientation> {
  const hook = focus.faculty.orient;
  if (!hook) return { context: null, params: {} };
  const result = await runHook(focus, 'orient', hook, { ledger });
  switch (result.kind) {
    case 'proceed':
      return { context: null, params: {} };
    case 'output':
      await recordHookLedger(focus, result.output.ledger);
      return { context: result.output.context ?? null, params: result.output.params ?? {} };
    case 'blocked':
    case 'failed':
      throw result.error;
    case 'aborted':
      focus.control.signal.throwIfAborted();
      throw new AnimusError('process.interrupted', { command: hook.command, detail: result.reason });
    default:
      return result satisfies never;
  }
}
