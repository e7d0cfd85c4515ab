/** Checks that pgmq is there and that animus may use it. */
import { cureOf, lackOf, missingPgmqRights } from '../../store/migrations/pgmq-rights.ts';
import { missingQueues } from '../../store/migrations/restore-queues.ts';
import type { DatabaseOffer } from '../../store/postgres/health.ts';
import type { Database } from '../../store/sql/database.ts';
import { type Finding, fine, problem } from './finding.ts';

/** It may belong to another team, or to the superuser who has created the extension. */
export async function examinePgmq(db: Database, { pgmq }: DatabaseOffer): Promise<readonly Finding[]> {
  const missing = await missingPgmqRights(db, 'the owner');
  if (missing !== null) return [problem('pgmq', lackOf(missing), cureOf(missing))];
  if (pgmq === 'installed') {
    const queues = await missingQueues(db);
    if (queues.length === 0) return [fine('pgmq', 'installed')];
    const lost = queues.includes('animus_work') ? ', so that no work can be submitted' : '';
    return [problem('pgmq', `queues of animus are missing: ${queues.join(', ')}${lost}`, 'run: animus db migrate')];
  }
  return [
    problem(
      'pgmq',
      'not installed',
      'run: animus db migrate (it installs pgmq if the server does not have it, and makes the queues)',
    ),
  ];
}
