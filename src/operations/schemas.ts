/** Pieces that the schemas of many routes share. */
import { z } from 'zod';
import { valueBeyond } from '../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../core/text/json-limits.ts';
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../core/work/faculty-name.ts';
import { FULL_ID } from '../core/work/id-reference.ts';
import { WORK_STATES } from '../core/work/work.ts';

/** The id of a row. */
export const id = () =>
  z.string().regex(FULL_ID, 'expected an id, as in 01900000-0000-7000-8000-000000000000').meta({ format: 'uuid' });

/** The name of a faculty, of one that exists or not. */
export const facultyName = () => z.string().regex(FACULTY_NAME, `expected ${FACULTY_NAME_RULE}`);

/** A time of a row, sent as ISO 8601 in UTC. */
export const time = () => z.date();
/** A time that the client gives: ISO 8601 with its offset. */
export const timeIn = () =>
  z.iso.datetime({ offset: true, error: 'expected an ISO 8601 time with its zone, such as 2026-03-01T09:00:00Z' });

const STATE = z.enum(WORK_STATES).meta({ id: 'WorkState' });
export const workState = () => STATE;

/** Any JSON value. */
export const json = () => z.unknown();
/** Any JSON object. */
export const jsonObject = () => z.record(z.string(), z.unknown());

/** JSON that someone submits: more is refused before it is written for the database, which would refuse it too. */
export const submitted = <Schema extends z.ZodType>(schema: Schema) =>
  schema.superRefine((value, context) => {
    const beyond = valueBeyond(value, JSON_LIMITS.submitted);
    if (beyond === null) return;
    context.addIssue({ code: 'custom', message: `${beyond}: keep more in a table or file of your own and name it` });
  });

/** `limit` of a list: 1 to 200, default 50. */
export const limit = () => z.coerce.number().int().min(1).max(200).default(50);
/** A page of a list. `next` is null on the last page. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable().describe('`after` of the next page; null: no more') });

/** A page of at most `most` rows, of which one more was read to know whether there are more. `cursor` says where a row stands. */
export function pageOf<Row>(
  rows: readonly Row[],
  most: number,
  cursor: (row: Row) => string,
): { items: Row[]; next: string | null } {
  const items = rows.slice(0, most);
  return { items, next: rows.length > most ? cursor(items.at(-1)!) : null };
}
