import type { Queryable } from '../../store/sql/database.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import { asVisitor, inOneStatementAs, readingAs } from '../login/visitor.ts';
import type { JsonRoute, Visit } from './route.ts';

/** What a route has returned. */
export interface Ran {
  readonly shown: unknown;
  readonly whole: unknown;
}

/** How long a request waits for work that another transaction holds. */
const LOCKED_MS = 5000;

/**
 * Prepares a route, and runs it in one transaction that acts for the visitor, or each statement of a GET in one; `answer` makes its answer there, by a call
 * of `run`. `keeps`: `answer` sends statements, too. Of what a run returns, only
 * what its schema names may leave: `shown`.
 */
export async function runRoute<Answer>(
  route: JsonRoute,
  visit: Visit,
  input: Parameters<JsonRoute['run']>[1],
  answer: (run: () => Promise<Ran>, tx: Queryable) => Promise<Answer>,
  keeps = false,
): Promise<Answer> {
  const { visitor, services, signal } = visit;
  const prepared = await route.prepare?.(visit, input);
  const within = route.method === 'GET' ? readingAs : route.oneStatement && !keeps ? inOneStatementAs : asVisitor;
  const act = () =>
    within(services.db, visitor, (tx) =>
      answer(async () => {
        const whole = await route.run({ ...visit, tx, prepared }, input);
        return { shown: route.output.parse(whole), whole };
      }, tx),
    );
  return untilUnlocked(act, { clock: services.clock, signal, forMs: LOCKED_MS });
}
