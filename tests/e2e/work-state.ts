import type { Database } from '../../src/store/sql/database.ts';
import { eventually } from '../support/eventually.ts';

/** Waits up to a minute until the work item has this state. */
export async function stateOf(database: Database, id: string, state: string): Promise<void> {
  await eventually(
    `${id} is ${state}`,
    async () => {
      const [row] = await database.query<{ state: string }>('select state from animus.work_items where id = $1', [id]);
      return row!.state === state ? row! : null;
    },
    60,
  );
}
