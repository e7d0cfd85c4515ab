/** Stores the memories that a consolidate hook printed. */
import { isAnimusError } from '../../../core/errors/errors.ts';
import { storeMemory } from '../../../store/memory/memories.ts';
import type { HookOutput } from '../../hooks/hook-output.ts';
import { lostEntry } from '../../hooks/printed-entries.ts';
import { recordHookLedger } from '../scope/focus-hook.ts';
import type { Focus } from '../scope/focus-scope.ts';

/**
 * Stores them under the focus's lease, one by one. A hook runs at least once; the same text is stored once. What the database refuses,
 * such as a memory for a place that is full, or what is not a memory, does not fail the work: a ledger entry says why.
 */
export async function storeHookMemories(focus: Focus, memories: HookOutput['consolidate']['memories']): Promise<void> {
  for (const memory of memories ?? []) {
    if ('problem' in memory) {
      await recordLost(focus, memory.problem, memory.printed);
      continue;
    }
    const { content, layer, kind, project, tags, metadata } = memory;
    try {
      await storeMemory(
        focus.reach.db,
        {
          content,
          layer,
          ...(kind !== undefined && { kind }),
          ...(project !== undefined && { project }),
          ...(tags && { tags }),
          ...(metadata && { metadata }),
        },
        focus.key,
      );
    } catch (error) {
      if (!isAnimusError(error, 'work.invalid')) throw error;
      await recordLost(focus, error.message, content);
    }
  }
}

async function recordLost(focus: Focus, why: string, content: string): Promise<void> {
  const lost = lostEntry('a memory of the consolidate hook was not stored', why, content);
  await recordHookLedger(focus, [{ type: 'error', content: lost }]);
}
