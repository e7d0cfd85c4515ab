/** Removes the fencing from one function, to test the test: it must notice. */
import type { Database } from '../../../src/store/sql/database.ts';

/** The item's newest token in place of the given one, so that every caller is accepted. */
const NEWEST: Readonly<Record<string, string>> = {
  p_work_item_id: '(select w.lease_token from animus.work_items w where w.id = p_work_item_id)',
  p_id: '(select w.lease_token from animus.work_items w where w.id = p_id)',
  p_focus_id:
    '(select w.lease_token from animus.work_items w join animus.foci f on f.work_item_id = w.id where f.id = p_focus_id)',
  p_ids:
    'array(select w.lease_token from unnest(p_ids) with ordinality u (id, n) left join animus.work_items w on w.id = u.id order by n)',
};

/** Modifies a function's body; returns it unchanged if it does not contain the pattern. */
export const MUTATIONS = {
  'without its token check': (body: string, args: readonly string[]) => {
    const of = args.find((arg) => arg in NEWEST);
    return of === undefined ? body : body.replace(/\bp_tokens?\b(?! *=>)/g, NEWEST[of]!);
  },
  'without its row lock': (body: string) => body.replace(/for no key update( of \w+)?( skip locked)?/g, ''),
} as const;

/** Runs `work` while the function is modified, then restores it. False if the mutation changes nothing in it. */
export async function withMutation(
  db: Database,
  name: string,
  mutation: keyof typeof MUTATIONS,
  work: () => Promise<void>,
): Promise<boolean> {
  const functions = await db.query<{ definition: string; body: string; args: string[] }>(
    `select pg_get_functiondef(oid) as definition, prosrc as body, proargnames as args from pg_proc
      where pronamespace = 'animus'::regnamespace and proname = $1 and proargnames && array['p_token', 'p_tokens']`,
    [name],
  );
  const spoiled = functions.map(({ definition, body, args }) =>
    definition.replace(body, () => MUTATIONS[mutation](body, args)),
  );
  if (spoiled.every((definition, n) => definition === functions[n]!.definition)) return false;
  try {
    for (const definition of spoiled) await db.query(definition);
    await work();
  } finally {
    for (const { definition } of functions) await db.query(definition);
  }
  return true;
}
