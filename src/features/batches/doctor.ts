/** Checks whether turns wait in batches that nobody can ask about, or that a provider refuses. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { hasFunctions } from '../../store/migrations/schema-version.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { type Finding, problem } from '../../terminal/view/finding.ts';
import type { BatchStatus } from './feature.ts';
import { readBatchStatus } from './store.ts';

/** One finding per provider with a problem. */
export async function examineBatches(db: Queryable): Promise<readonly Finding[]> {
  return (await visibleBatches(db)).flatMap(({ provider, problem: found }) =>
    found === null ? [] : [problem('batches', `at ${provider}: ${found}`, 'see: animus status')],
  );
}

/** None without a schema, which another check reports, and for a login that may see none. */
async function visibleBatches(db: Queryable): Promise<readonly BatchStatus[]> {
  if (!(await hasFunctions(db))) return [];
  try {
    return await readBatchStatus(db);
  } catch (error) {
    if (isAnimusError(error, 'db.forbidden')) return [];
    throw error;
  }
}
