/** Prepares a context between two requests. Everything is recorded before it is sent, so that a resumed focus renders the same bytes. */
import { estimateTokens } from '../../core/work/tokens.ts';
import { type OpenHandle, readOpenHandles } from '../../store/open/open-handles.ts';
import type { Database, Queryable } from '../../store/sql/database.ts';
import { storeOutput } from '../../store/transcript/artifacts.ts';
import { type FocusKey } from '../../store/transcript/focus-row.ts';
import { addMessage, type EngineMessage } from '../../store/transcript/messages.ts';
import { type Transcript } from '../../store/transcript/transcript.ts';
import { count } from '../../telemetry/metrics.ts';
import { openCommands } from '../calls/open-commands.ts';
import type { LoopFocus, LoopRun } from '../turn/loop-state.ts';
import { closedBlock } from './context-blocks.ts';
import { contextLimits } from './context-bounds.ts';
import { type ContextSettings, planContext, withPlan } from './plan-context.ts';

/** Makes the newest turn part of the context: cuts its results, stubs the block it closes, and adds reminders. */
export async function prepareContext(
  transcript: Transcript,
  focus: LoopFocus,
  { journal, signal }: LoopRun,
  db: Database,
): Promise<Transcript> {
  const { key, faculty } = focus;
  const handles = closedBlock(transcript) ? await openHandles(transcript, db, key) : [];
  const { oversized, messages, closes } = planContext(transcript, handles, contextSettings(focus));
  if (oversized.length > 0) {
    await journal.flush(signal); // an output must be committed before it is moved
    await db.transaction(async (tx) => {
      for (const output of oversized) await storeOutput(tx, key, output);
    });
  }
  const recorded: EngineMessage[] = [];
  for (const message of messages) recorded.push(await recordMessage(db, key, message));
  if (closes) count('work.context.blocks_closed', 1, { faculty });
  if (messages[0]?.kind === 'stub') count('work.context.blocks_truncated', 1, { faculty });
  return withPlan(transcript, oversized, recorded);
}

/** What is open of the item and the focus: as the tables say, and commands in the background. */
export async function openHandles(transcript: Transcript, db: Queryable, focus: FocusKey): Promise<OpenHandle[]> {
  const commands = openCommands(transcript).map((id) => ({ kind: 'command' as const, id }));
  return [...(await readOpenHandles(db, focus)), ...commands];
}

/** Records a message of the engine with its size. */
export function recordMessage(db: Queryable, focus: FocusKey, message: EngineMessage): Promise<EngineMessage> {
  return addMessage(db, focus, message, estimateTokens(message.content));
}

/** What the context of a focus is prepared with. */
export function contextSettings({ key, bounds, model, limits }: LoopFocus): ContextSettings {
  const { thinkingBudgetTokens, effort } = model.settings;
  return {
    focusId: key.focusId,
    truncateClosedBlocks: bounds.truncateClosedBlocks,
    limits: contextLimits(bounds, model),
    ledgerNudgeInterval: bounds.ledgerNudgeInterval,
    maxTurns: limits.maxTurns,
    thinks: thinkingBudgetTokens !== undefined || (effort !== undefined && effort !== 'none'),
  };
}
