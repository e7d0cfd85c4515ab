/** `Prefer: wait=SECONDS` (RFC 7240): a request that submits work is answered when the work has ended or waits for a person, or after that time. */

import type { WorkItem } from '../../operations/work-rows.ts';
import type { JsonRoute, Visit } from '../route/route.ts';
import { awaitWork } from '../work/await-work.ts';
import type { Answer } from './answer.ts';
import { API_ROOT } from './openapi.ts';
import type { Sent } from './sent-request.ts';

/** Many proxies abandon a request after a minute. */
const MAX_SECONDS = 60;

/** How long the client wants to wait, at most a minute; null: it does not, or its token may not read work. A preference that is not understood is ignored. */
export function preferredWait(
  request: Pick<Sent, 'headers'>,
  { awaits }: JsonRoute,
  { scopes }: Visit['visitor'],
): number | null {
  const preferences = request.headers.get('prefer');
  if (awaits === undefined || preferences === null || !scopes.includes('read')) return null;
  // The first one counts.
  const found = preferences
    .split(',')
    .flatMap((one) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(one)?.[1] ?? []);
  return found[0] === undefined ? null : Math.min(Number(found[0]), MAX_SECONDS);
}

/**
 * The answer of a request whose effect is committed, after the wait: 200 with the item that has ended, else 202. Both say where the item is. What
 * the answer says of the item itself is of that time, too, and not of the time of the effect.
 */
export async function afterWait(route: JsonRoute, answer: Answer, seconds: number, visit: Visit): Promise<Answer> {
  const document = JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
  const id = String(document[route.awaits ?? 'id']);
  const { own, ended } = await awaitWork(visit, id, seconds);
  const isOld = (key: string) => OF_NOW.has(key) && own !== null;
  const news = Object.keys(document)
    .filter(isOld)
    .map((key) => [key, own![key as keyof WorkItem]]);
  const now = { ...document, ...Object.fromEntries(news) };
  return {
    ...answer,
    status: ended === null ? 202 : 200,
    text: `${JSON.stringify(route.output.parse({ ...now, ...(ended !== null && { item: ended }) }))}\n`,
    headers: { location: `${API_ROOT}/work/${id}`, 'preference-applied': `wait=${seconds}` },
  };
}

/** The keys of such answers that change with the item. */
const OF_NOW: ReadonlySet<string> = new Set(['state', 'merged_into', 'waiting'] satisfies (keyof WorkItem)[]);
