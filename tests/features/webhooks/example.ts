import { Secret } from '../../../src/core/secrets/secret.ts';
import { webhookKeyMark } from '../../../src/features/webhooks/secret.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';

const ID = '4f2a9c1d-0000-4000-8000-000000000000';

/** The key of webhooks in the environment of the examples. */
export const EXAMPLE_KEY = 'k'.repeat(32);

/** The webhook that the examples name, with a dead delivery 1234. Tests of it arrive at once, as if a daemon had sent them. */
export async function exampleWebhook(db: Queryable): Promise<void> {
  // The trigger of an earlier example would let the dead delivery arrive.
  await db.query('drop trigger if exists arrive on animus.webhook_deliveries');
  await db.query(`delete from animus.webhooks; delete from animus.webhook_deliveries`);
  await db.query(
    `select animus.add_webhook('${ID}', 'https://example.com/animus', array['work.dead'], '${webhookKeyMark(new Secret(EXAMPLE_KEY))}')`,
  );
  await db.query(
    `insert into animus.webhook_deliveries (id, webhook_id, event, body, state, attempts, due_at, created_at, ended_at)
     overriding system value values (1234, '${ID}', 'work.dead', '{}', 'dead', 12, now(), now(), now())`,
  );
  await db.query(
    `create or replace function public.arrive() returns trigger language plpgsql as
       $$ begin new.state := 'delivered'; new.last_status := 204; new.ended_at := now(); return new; end $$;
     create or replace trigger arrive before insert on animus.webhook_deliveries for each row execute function public.arrive()`,
  );
}
