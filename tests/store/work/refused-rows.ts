/** Rows that an application refuses to have changed, for tests of claims. */

import type { Database } from '../../../src/store/sql/database.ts';
import { type ClaimFault, findFaults } from '../../../src/store/work/claimed/claim-faults.ts';
import { claimReadyWork } from '../../../src/store/work/work.ts';
import { DAEMON, faculties, LEASE_SECONDS } from './queue-driver.ts';

/** Makes the trigger, once for a database. */
export async function makeRefusals(db: Database): Promise<void> {
  // What an application may have put on the table: a row that says so can be neither changed nor claimed.
  await db.query(`
    create table public.refusals (of text not null, sqlstate text not null);
    create function public.refuse() returns trigger language plpgsql as $$
      declare v_state text := (select r.sqlstate from public.refusals r where r.of = new.description);
      begin
        if v_state is not null then raise exception using errcode = v_state, message = format('the application refuses %s', new.description); end if;
        return new;
      end $$;
    create trigger refuse before update on animus.work_items for each row execute function public.refuse()`);
}

/** `database` is there when a test runs. */
export function refusalsOf(target: { readonly database: Database }) {
  const OF = faculties('engineer');
  async function refuse(description: string, sqlstate = 'P0001'): Promise<void> {
    await target.database.query('insert into public.refusals values ($1, $2)', [description, sqlstate]);
  }

  /** A claim as a daemon makes it: after a failure it looks for what made it fail. Returns what it claimed, and what it found. */
  async function round(limit = 10, of = OF): Promise<{ claimed: string[]; fault: ClaimFault | null; error?: unknown }> {
    const request = { daemonId: DAEMON, faculties: of, limit, leaseSeconds: LEASE_SECONDS };
    try {
      const { work } = await claimReadyWork(target.database, request);
      return { claimed: work.map(({ id }) => id), fault: null };
    } catch (error) {
      return { claimed: [], fault: await findFaults(target.database, request, error), error };
    }
  }

  return { refuse, round };
}
