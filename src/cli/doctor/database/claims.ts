/** Checks whether work that is due is claimed. */
import { isAnimusError } from '../../../core/errors/errors.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { Database } from '../../../store/sql/database.ts';
import { readKeptFaults, readUnclaimed } from '../../../store/work/claimed/claim-faults.ts';
import { readClaimProblems } from '../../../store/work/daemons.ts';
import { type Finding, problem } from '../../../terminal/view/finding.ts';
import { counted } from '../../../terminal/view/quantities.ts';

/** Nothing while claims bring what is due, and for a login that may not see that. */
export async function examineClaims(db: Database): Promise<readonly Finding[]> {
  try {
    return await lookAtClaims(db);
  } catch (error) {
    if (isAnimusError(error, 'db.forbidden')) return [];
    throw error;
  }
}

async function lookAtClaims(db: Database): Promise<readonly Finding[]> {
  const told = await readClaimProblems(db);
  const findings = told.map((message) => problem('claims', message, REMEDY));
  for (const { work_item_id: id, faculty, failures, sqlstate } of await readKeptFaults(db)) {
    const what =
      id === null ? `no work of ${faculty} can be claimed` : `work item ${id} of ${faculty} cannot be claimed`;
    if (told.some((message) => message.startsWith(what))) continue;
    const detail = `${what}: ${failures === 1 ? 'a claim' : `${failures} claims`} failed on its ${id === null ? 'rows' : 'row'} (SQLSTATE ${sqlstate})`;
    findings.push(problem('claims', detail, REMEDY));
  }
  if (findings.length > 0) return findings;
  const before = await readUnclaimed(db, null);
  if (before === null) return [];
  // Where much is queued, the next item has been due for long, and is claimed as soon as one ends.
  await systemClock.sleep(AGAIN_MS);
  const unclaimed = await readUnclaimed(db, null);
  if (unclaimed?.workItemId !== before.workItemId) return [];
  const { items, workItemId, since, locked } = unclaimed;
  const detail = `${counted(items, 'work item')} due for a minute or more and not claimed, although a daemon has room: ${workItemId}, since ${since.slice(0, 19)}Z`;
  const remedy = locked
    ? 'its row is locked by another transaction: end that one (see pg_stat_activity)'
    : 'look at the log of the daemon, or run: animus doctor --deep';
  return [problem('claims', detail, remedy)];
}

/** Daemons look at least so often. */
const AGAIN_MS = 3000;

const REMEDY =
  'remove the cause that the message names (a trigger or a check of an application, a setting, a damaged row); daemons try again on their own';
