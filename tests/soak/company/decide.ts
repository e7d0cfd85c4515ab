/** A person who decides what waits: nine of ten calls are approved, and all that lacks money gets it. */
import { pause } from '../trouble.ts';
import type { AppSession, Tally } from './session.ts';

/** Decided before, with an answer that was lost, or cancelled meanwhile. */
const OVER = ['WA002', 'WA003'];

export async function decide(session: AppSession, tally: Tally, means: { readonly closed: boolean }): Promise<void> {
  while (!means.closed) {
    await pause(300);
    await session
      .again(async (query) => {
        const asks = await query(
          `select work_item_id, ask_id, subject from animus.inbox where faculty in ('careful', 'thrifty') limit 20`,
        );
        for (const { work_item_id: item, ask_id: ask, subject } of asks) {
          const word = subject === 'budget' || Math.random() < 0.9 ? 'approve' : 'deny';
          await query('begin isolation level read committed');
          const failed = await query(`select animus.${word}($1, $2, $3)`, [item, ask, `it's \\ fine`]).then(
            () => null,
            (error: Error & { code: string }) => error,
          );
          await query(failed === null ? 'commit' : 'rollback');
          if (failed !== null && !OVER.includes(failed.code)) throw failed;
          const name = `${word} of a ${String(subject)}`;
          if (failed === null) tally.done.set(name, (tally.done.get(name) ?? 0) + 1);
        }
      })
      .catch((error: Error) => tally.wrong.push(`a decision: ${error.message}`));
  }
  await session.close();
}
