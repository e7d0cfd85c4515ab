/** Checks that pgmq is there and that animus may use it. */
import { otherSchemaText, settledPgmqSchema } from '../../../store/migrations/choose-pgmq-schema.ts';
import { cureOf, lackOf, missingPgmqRights } from '../../../store/migrations/pgmq-rights.ts';
import { missingQueues } from '../../../store/migrations/restore-queues.ts';
import type { DatabaseOffer } from '../../../store/postgres/health.ts';
import type { Database } from '../../../store/sql/database.ts';
import { PGMQ } from '../../../store/sql/pgmq-schema.ts';
import { type Finding, fine, problem } from '../../../terminal/view/finding.ts';

/** It may belong to another team, or to the superuser who has created the extension. `wanted`: ANIMUS_PGMQ_SCHEMA, or null. */
export async function examinePgmq(
  db: Database,
  { pgmq }: DatabaseOffer,
  wanted: string | null,
): Promise<readonly Finding[]> {
  const settled = await settledPgmqSchema(db);
  if (settled === null && wanted !== null && wanted !== PGMQ && db.kind !== 'embedded') {
    return [problem('pgmq', `not installed in the schema ${wanted}`, MIGRATE)];
  }
  const missing = await missingPgmqRights(db, 'the owner');
  if (missing !== null) return [problem('pgmq', lackOf(missing), cureOf(missing))];
  if (pgmq !== 'installed') return [problem('pgmq', 'not installed', MIGRATE)];
  if (settled !== null && wanted !== null && settled !== wanted && db.kind !== 'embedded') {
    return [problem('pgmq', otherSchemaText(settled, wanted), 'until then no daemon starts')];
  }
  const queues = await missingQueues(db);
  if (queues.length > 0) {
    const lost = queues.includes('animus_work') ? ', so that no work can be submitted' : '';
    return [problem('pgmq', `queues of animus are missing: ${queues.join(', ')}${lost}`, 'run: animus db migrate')];
  }
  return [fine('pgmq', settled === null || settled === PGMQ ? 'installed' : `installed in the schema ${settled}`)];
}

const MIGRATE = 'run: animus db migrate (it installs pgmq if the server does not have it, and makes the queues)';
