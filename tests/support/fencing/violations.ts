/** Runs two writers on one item against the fenced functions, and reports which writes were accepted that must not be. */
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { openTransaction } from '../../store/work/queue-driver.ts';
import { FENCED_CALLS, FOR_NEW_FOCI, FOR_THE_USUAL_CASE, LOCKS_NOTHING, type Writer } from './fenced-calls.ts';
import { type Begun, beginWriter, claimAgain, claimWriter, expire, LEASE_LOSSES } from './lease-losses.ts';

/** What a call answers before the loss of the lease is committed. */
function duringATakeOver(name: string): Answer {
  if (LOCKS_NOTHING.has(name)) return 'accepted';
  return FOR_THE_USUAL_CASE.has(name) ? 'refused' : 'locked';
}

/** Violations as `name: what`, found one after the other; there must be none. */
export async function* violations(db: Database, names: readonly string[]): AsyncGenerator<string> {
  const losses = Object.keys(LEASE_LOSSES);
  const begun = names.filter((name) => !FOR_NEW_FOCI.has(name));
  yield* violationsOn(db, begun, beginWriter, losses);
  // Only an item with a focus can be parked.
  const unparked = losses.filter((loss) => !loss.startsWith('parked'));
  const fresh = names.filter((name) => FOR_NEW_FOCI.has(name));
  yield* violationsOn(db, fresh, claimWriter, unparked);
}

type Begin = (db: Queryable) => Promise<Begun>;

async function* violationsOn(
  db: Database,
  names: readonly string[],
  begin: Begin,
  losses: readonly string[],
): AsyncGenerator<string> {
  if (names.length === 0) return;
  for (const loss of losses) yield* afterTheLoss(db, names, begin, loss);
  yield* whileItIsTakenOver(db, names, begin);
  for (const name of names) if (!LOCKS_NOTHING.has(name)) yield* whileItWrites(db, name, begin);
}

/** The loss of the lease is committed: every call is refused, and nothing has changed. */
async function* afterTheLoss(
  db: Database,
  names: readonly string[],
  begin: Begin,
  loss: string,
): AsyncGenerator<string> {
  const writer = await begin(db);
  await LEASE_LOSSES[loss]!(db, writer);
  let before = await digest(db);
  for (const name of names) {
    const answer = await answerTo(db, name, writer);
    const after = await digest(db);
    if (answer !== 'refused') yield `${name}: ${loss}: ${answer}`;
    if (after !== before) yield `${name}: ${loss}: something was written`;
    before = after;
  }
}

/** Another daemon is about to take over, in an open transaction: nothing may be written meanwhile, and nobody waits for it for long. */
async function* whileItIsTakenOver(db: Database, names: readonly string[], begin: Begin): AsyncGenerator<string> {
  const writer = await begin(db);
  await expire(db, writer);
  const other = await openTransaction(db, async (tx) => {
    const [next] = await claimAgain(tx, writer);
    if (next?.id !== writer.id) throw new Error('the other daemon did not get the item');
  });
  const before = await digest(db);
  const answers = await Promise.all(names.map((name) => answerTo(db, name, writer)));
  const changed = (await digest(db)) !== before;
  await other.end('commit');
  if (changed) yield `${names.join()}: during a take-over something was written`;
  for (const [n, name] of names.entries()) {
    if (answers[n] !== duringATakeOver(name)) yield `${name}: during a take-over: ${answers[n]}`;
    if ((await answerTo(db, name, writer)) !== 'refused') yield `${name}: not refused after the take-over`;
  }
}

/** The call was made in an open transaction: no other daemon gets the item until that ends. */
async function* whileItWrites(db: Database, name: string, begin: Begin): AsyncGenerator<string> {
  const writer = await begin(db);
  if (name === 'end_cancelled') await db.query('select animus.cancel_work($1)', [writer.id]);
  await expire(db, writer);
  let answer = '';
  const open = await openTransaction(db, async (tx) => {
    answer = await answerTo(tx, name, writer);
  });
  const taken = await claimAgain(db, writer);
  await open.end('commit');
  if (answer !== 'accepted') yield `${name}: with the newest token: ${answer}`;
  if (taken.length > 0) yield `${name}: another daemon took the item over in the middle of the call`;
}

/** `accepted`, `refused`, `locked`, or another error. */
type Answer = string;

async function answerTo(db: Queryable, name: string, writer: Writer): Promise<Answer> {
  try {
    const [row] = (await FENCED_CALLS[name]!(db, writer)) as { result?: string }[];
    switch (row?.result) {
      case 'lost':
        return 'refused';
      case 'locked':
        return 'locked';
      default:
        return 'accepted';
    }
  } catch (error) {
    if (isAnimusError(error, 'work.lease_lost')) return 'refused';
    if (isAnimusError(error, 'work.locked')) return 'locked';
    return `failed: ${String(error)}`;
  }
}

const TABLES =
  `animus.work_items animus.active_keys animus.freed_keys animus.work_ledger animus.foci animus.turns animus.tool_calls
  animus.focus_messages animus.artifacts animus.waits animus.batch_requests animus.watches animus.spend_calls animus.worktrees animus.worktree_results pgmq.q_animus_work pgmq.a_animus_work`.split(
    /\s+/,
  );

/** All rows that a focus could write, as other sessions see them. */
async function digest(db: Queryable): Promise<string> {
  const parts = TABLES.map(
    (table) => `(select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from ${table} t)`,
  );
  const [row] = await db.query<{ digest: string }>(`select concat_ws('/', ${parts.join(', ')}) as digest`);
  return row!.digest;
}
