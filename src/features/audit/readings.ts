/** Who decided what, for those who may see all work. */
import { AnimusError } from '../../core/errors/errors.ts';
import { flag, optional, time } from '../../operations/fields.ts';
import { type Reading, reading } from '../../operations/reading.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';
import { checkChains } from './check-chains.ts';
import { type AuditRow, auditLine, chainsVerdict, type RefusedCall } from './rows.ts';
import { readAudit, readHeads, readRefusedCalls } from './store.ts';

export const exportAudit = reading({
  name: 'exportAudit',
  path: '/audit',
  tag: 'audit',
  summary: 'Decisions and refused calls, oldest first, one per line; for those who may see all work',
  scope: 'read',
  lines: true,
  input: {
    since: optional(time({ description: 'from this time on' })),
    until: optional(time({ description: 'before this time' })),
    heads: flag({ default: false, description: 'only the newest decision of every chain, without the times' }),
  },
  output: auditLine,
  async run(db, { since, until, heads }) {
    if (heads && (since ?? until) !== undefined) {
      throw new AnimusError('http.invalid', { detail: 'query.heads: leave out since and until' });
    }
    await requireSeesAll(db);
    const range = { since, until };
    return heads ? readHeads(db) : inOrder(readAudit(db, range), readRefusedCalls(db, range));
  },
});

export const checkAudit = reading({
  name: 'checkAudit',
  path: '/audit/check',
  tag: 'audit',
  summary: 'Check the chain of the decisions of each work item; for those who may see all work',
  scope: 'read',
  input: {},
  output: chainsVerdict,
  async run(db) {
    await requireSeesAll(db);
    return checkChains(db);
  },
});

export const auditReadings: readonly Reading[] = [exportAudit, checkAudit];

/** Both by time, oldest first; a decision comes before a call that was refused at the same time. */
async function* inOrder(
  decisions: AsyncGenerator<AuditRow>,
  refused: AsyncGenerator<RefusedCall>,
): AsyncGenerator<AuditRow | RefusedCall> {
  let next = await refused.next();
  for await (const decision of decisions) {
    for (; !next.done && next.value.created_at < decision.created_at; next = await refused.next()) yield next.value;
    yield decision;
  }
  for (; !next.done; next = await refused.next()) yield next.value;
}
