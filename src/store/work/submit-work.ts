import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../../core/work/faculty-name.ts';
import type { Waiting } from '../../core/work/waiting.ts';
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { WAITING_COLUMNS, type WaitingColumns, waitingRow } from './waiting-columns.ts';

/** New work; what is left out takes the database's default. */
export interface NewWork {
  readonly faculty: string;
  readonly description?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly skill?: string | undefined;
  readonly dedupKey?: string | undefined;
  readonly priority?: number | undefined;
  /** Not before this moment. */
  readonly runAt?: Date | undefined;
  /** Items with the same key run one after another. */
  readonly concurrencyKey?: string | undefined;
  readonly parentId?: string | undefined;
  readonly source?: string | undefined;
  readonly triggerInfo?: unknown;
  /** W3C traceparent of the submitter. */
  readonly traceContext?: string | undefined;
  /** Images and documents that come with it; `params.attachments` will name them. */
  readonly attachments?: readonly NewAttachment[] | undefined;
  /** True: its turns are asked in batches, at half the price; false: live. Default: as the faculty says. */
  readonly batch?: boolean | undefined;
  /** True: it goes on when its parent dies or is cancelled. */
  readonly detached?: boolean | undefined;
}

/** A file that comes with new work: at most 10 MiB, and 20 of them with 20 MiB together. Its content decides about its type. */
export interface NewAttachment {
  /** One part of a path: 1 to 255 bytes, without `/`, invisible characters and names that a system reserves (`animus.file_name_problem`). */
  readonly name: string;
  readonly content: Uint8Array;
}

/** The result: `mergedInto` is the active item that does the same work, null also where the actor may not see that; `state` says whether it merged. */
export interface SubmittedWork {
  readonly id: string;
  readonly state: WorkState;
  readonly mergedInto: string | null;
}

/** The same with what an answer says of it. */
export interface ShownSubmission extends SubmittedWork {
  /** Null: nothing stands in its way, or it merged. */
  readonly waiting: Waiting | null;
  /** The faculties that running daemons serve; null where a login acts. */
  readonly served: readonly string[] | null;
}

/** Submits one piece of work (`animus.submit_work`). Errors: `work.not_found` for the parent, `work.invalid`. */
export async function submitWork(db: Queryable, work: NewWork): Promise<SubmittedWork> {
  return insertWork<SubmittedWork>(db, work, (submit) => submit);
}

/** The same, still in one statement. */
export async function submitShownWork(db: Queryable, work: NewWork): Promise<ShownSubmission> {
  return waitingRow(await insertWork<Omit<ShownSubmission, 'waiting'> & WaitingColumns>(db, work, withAnswer));
}

async function insertWork<Row>(db: Queryable, work: NewWork, shown: (submit: string) => string): Promise<Row> {
  if (!FACULTY_NAME.test(work.faculty)) {
    const detail = `${JSON.stringify(work.faculty)} is not a valid faculty name: expected ${FACULTY_NAME_RULE}`;
    throw new AnimusError('work.invalid', { detail });
  }
  const files = work.attachments ?? [];
  const submit = work.batch === undefined && work.detached === undefined ? SUBMIT : SUBMIT_BATCH;
  const [row] = await refusedAsInvalid(
    db.query<Row & object>(shown(files.length === 0 ? submit : withFiles(submit)), [
      ...argumentsOf(work),
      ...(files.length === 0
        ? []
        : [files.map(({ name }) => toText(name)), files.map(({ content }) => Buffer.from(content))]),
    ]),
  );
  return row!;
}

/** Turns the refusal by a check constraint of the table into `work.invalid`: its name says which column, and the database is what decides. */
export async function refusedAsInvalid<T>(insert: Promise<T>): Promise<T> {
  return insert.catch((error: unknown) => {
    if (sqlState(error) !== '23514') throw error;
    throw new AnimusError('work.invalid', { detail: messageOf(error) }, { cause: error });
  });
}

const ARGUMENTS = `faculty => $1::text, description => $2::text, params => $3::jsonb, skill => $4::text, dedup_key => $5::text,
  priority => $6::int, run_at => $7::timestamptz, parent_id => $8::uuid, source => $9::text, trigger_info => $10::jsonb,
  trace_context => $11::text, concurrency_key => $12::text`;
const COLUMNS = 'id, state, merged_into as "mergedInto"';

/** Every statement has the same parameters. */
const SUBMIT = `select ${COLUMNS} from animus.submit_work(${ARGUMENTS}) where num_nonnulls($13::boolean, $14::boolean) = 0`;
const SUBMIT_BATCH = `select ${COLUMNS} from animus.submit_batch_work(${ARGUMENTS}, batch => $13::boolean, detached => $14::boolean)`;

/** One statement, so that an item never exists without its files, also outside a transaction of the caller. */
const withFiles = (submit: string) => `with work as materialized (${submit}),
  files as (select array_agg(animus.attach_file(work.id, f.name, f.content) order by f.n) as ids
              from work, unnest($15::text[], $16::bytea[]) with ordinality as f (name, content, n))
select work.* from work, files where files.ids is not null`;

const withAnswer = (submit: string) => `with submitted as materialized (${submit})
select s.*, y.served, ${WAITING_COLUMNS} from submitted s cross join lateral animus.after_submission(s.id) y`;

function argumentsOf(work: NewWork): unknown[] {
  return [
    toText(work.faculty),
    toText(work.description ?? ''),
    toJsonb(work.params ?? {}),
    toText(work.skill),
    toText(work.dedupKey),
    work.priority ?? 0,
    work.runAt ?? null,
    work.parentId ?? null,
    toText(work.source ?? 'sql'),
    work.triggerInfo === undefined ? null : toJsonb(work.triggerInfo),
    work.traceContext ?? null,
    toText(work.concurrencyKey),
    work.batch ?? null,
    work.detached ?? null,
  ];
}
