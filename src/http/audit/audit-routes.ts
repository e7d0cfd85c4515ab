/** Who decided what, for those who see all work. Read in pages, each in a transaction of its own. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { timeIn } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readAudit, readHeads } from '../../store/views/audit/audit.ts';
import { checkChains, inOrder } from '../../store/views/audit/check-audit.ts';
import { readRefusedCalls } from '../../store/views/audit/refused-calls.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';
import { asVisitor } from '../login/visitor.ts';
import { type Route, streamRoute, type Visit } from '../route/route.ts';
import { streamOf } from '../route/stream-of.ts';
import { auditLine, chainsVerdict } from './audit-schemas.ts';

const exportRoute = streamRoute({
  id: 'exportAudit',
  method: 'GET',
  path: '/audit',
  tag: 'audit',
  summary: 'Decisions and refused calls, oldest first, one per line; for those who may see all work',
  scope: 'read',
  query: z.strictObject({
    since: timeIn().optional().describe('from this time on'),
    until: timeIn().optional().describe('before this time'),
    heads: z.stringbool().default(false).describe('only the newest decision of every chain, without the times'),
  }),
  media: ['application/jsonl'],
  described: { items: auditLine },
  respond: async (visit, { query }) => {
    const { since, until, heads } = query;
    if (heads && (since ?? until) !== undefined) {
      throw new AnimusError('http.invalid', { detail: 'query.heads: leave out since and until' });
    }
    const db = await readerOf(visit);
    const range = { since: dateOf(since), until: dateOf(until) };
    const rows: AsyncIterable<object> = heads
      ? readHeads(db, 'visible')
      : inOrder(readAudit(db, range, 'visible'), readRefusedCalls(db, range, 'visible'));
    return new Response(await streamOf(rows, visit.signal), {
      headers: { 'content-type': 'application/jsonl; charset=utf-8' },
    });
  },
});

const checkRoute = streamRoute({
  id: 'checkAudit',
  method: 'GET',
  path: '/audit/check',
  tag: 'audit',
  summary: 'Check the chain of the decisions of each work item; for those who may see all work',
  scope: 'read',
  media: ['application/json'],
  described: { body: chainsVerdict },
  respond: async (visit) => {
    const db = await readerOf(visit);
    const verdict = await checkChains(db, 'visible');
    return Response.json(chainsVerdict.parse({ intact: verdict.faults.length === 0, ...verdict }));
  },
});

/** Runs each statement in a transaction of the visitor, so that a long export holds no connection while its reader is slow. */
async function readerOf({ means, visitor, signal }: Visit): Promise<Queryable> {
  await asVisitor(means.db, visitor, requireSeesAll);
  return {
    query: (sql, params) => {
      signal.throwIfAborted();
      return asVisitor(means.db, visitor, (tx) => tx.query(sql, params));
    },
  };
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

export const auditRoutes: readonly Route[] = [exportRoute, checkRoute];
