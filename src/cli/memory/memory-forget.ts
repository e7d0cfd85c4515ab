/** `animus memory forget`. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import { forgetMemory } from '../../store/memory/memories.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import type { CommonOptions, Invocation } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { styled } from '../view/output.ts';
import { memoryIds } from './values.ts';

interface ForgetOptions extends CommonOptions {
  readonly reason: string;
}

const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

/** All or none: one transaction. */
export async function forgetMemories(
  invocation: Invocation,
  { reason }: ForgetOptions,
  ids: readonly string[],
): Promise<number> {
  const { output } = invocation;
  const forgotten = await withDatabase(invocation, (db) =>
    untilUnlocked(
      () =>
        db.transaction(async (tx) => {
          const gone: string[] = [];
          for (const id of memoryIds(ids)) gone.push(await forgetMemory(tx, id, reason, null));
          return gone;
        }),
      PATIENCE,
    ),
  );
  output.document({ forgotten });
  for (const id of forgotten) output.line(styled(id, 'bold'), '  forgotten');
  return 0;
}
