/** `animus memory forget`. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import { forgetMemory, type Redacted, redactMemory } from '../../store/memory/memories.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted, shortId } from '../../terminal/view/quantities.ts';
import { memoryIds } from './values.ts';

interface ForgetOptions extends CommonOptions {
  readonly reason: string;
  readonly redact?: boolean;
}

const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

/** All or none: one transaction. With `redact`, ids of memories that are gone already are taken, too. */
export async function forgetMemories(
  invocation: Invocation,
  { reason, redact = false }: ForgetOptions,
  ids: readonly string[],
): Promise<number> {
  const { output } = invocation;
  const forgotten = await withDatabase(invocation, (db) =>
    untilUnlocked(
      () =>
        db.transaction(async (tx) => {
          const gone: Forgotten[] = [];
          for (const id of memoryIds(ids)) gone.push(await forget(tx, id, reason, redact));
          return gone;
        }),
      PATIENCE,
    ),
  );
  output.document({
    forgotten: forgotten.map(({ id }) => id),
    ...(redact && {
      redacted: forgotten.map(({ id, redacted }) => ({
        id,
        records: redacted?.records,
        items: redacted?.items,
        still_open: redacted?.stillOpen,
      })),
    }),
  });
  for (const { id, redacted } of forgotten) {
    output.line(styled(id, 'bold'), '  forgotten', redacted === null ? '' : `, ${redactedWords(redacted)}`);
    if (redacted === null || redacted.stillOpen.length === 0) continue;
    output.note(`redact it again when this work has ended: ${redacted.stillOpen.map(shortId).join(', ')}`);
  }
  if (!redact)
    output.note('its text stays in the records of work that stored or found it; --redact takes it out of them');
  return 0;
}

interface Forgotten {
  readonly id: string;
  /** Null: not asked for. */
  readonly redacted: Redacted | null;
}

async function forget(tx: Queryable, id: string, reason: string, redact: boolean): Promise<Forgotten> {
  if (redact) return { id, redacted: await redactMemory(tx, id, reason) };
  return { id: await forgetMemory(tx, id, reason, null), redacted: null };
}

function redactedWords({ records, items }: Redacted): string {
  return records === 0
    ? 'and in no records'
    : `and redacted in ${counted(records, 'record')} of ${counted(items, 'work item')}`;
}
