/** The memories of the examples of `animus memory`. */
import type { Database } from '../../../src/store/sql/database.ts';

/** The one that the examples name first, and the one that is merged into it. */
const MEMORY = '019a8f2e-7c31-7d7b-9f00-5b1f0c3de2a9';
const OTHER_MEMORY = '019a8f2e-7c31-7d7b-9f00-0c41d7ab93f1';

/** Stores both, and returns their ids by those of the examples. */
export async function exampleMemories(db: Database, command: string): Promise<Readonly<Record<string, string>>> {
  const store = async () => {
    const [stored] = await db.query<{ id: string }>(
      'select memory_id as id from animus.store_memory(gen_random_uuid()::text)',
    );
    return stored!.id;
  };
  const [memory, other] = [await store(), await store()];
  if (command === 'unmerge') await db.query('select animus.revise_memory($1, p_merge => $2)', [memory, other]);
  return { [MEMORY]: memory, [OTHER_MEMORY]: other };
}
