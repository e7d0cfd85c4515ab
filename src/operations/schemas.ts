/** Pieces that the schemas of many acts share. */
import { z } from 'zod';
import { valueBeyond } from '../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../core/text/json-limits.ts';
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../core/work/faculty-name.ts';
import { rowId, WORK_STATE } from '../core/work/row-schemas.ts';

export { z } from 'zod';
export { WAITING_FIELDS } from '../core/work/waiting-fields.ts';

/** This file, for schemas that are made when they are first used. */
export type Schemas = typeof import('./schemas.ts');

/** The id of a row. */
export const id = rowId;

/** The name of a faculty, of one that exists or not. */
export const facultyName = () => z.string().regex(FACULTY_NAME, `expected ${FACULTY_NAME_RULE}`);

/** Named types, by their words: the document has each of them once. */
const NAMED = new WeakMap<readonly string[], z.ZodType>();

/** One of the words of a field. */
export function words<Word extends string>({
  words: all,
  name,
}: {
  readonly words: readonly Word[];
  readonly name?: string;
}): z.ZodType<Word, Word> {
  const known = NAMED.get(all);
  if (known) return known as z.ZodType<Word, Word>;
  const schema = z.enum(all);
  if (name === undefined) return schema;
  const named = schema.meta({ id: name });
  NAMED.set(all, named);
  return named;
}

/** A time of a row, sent as ISO 8601 in UTC. */
export const time = () => z.date();
/** A time in JSON that SQL has made. */
export { timeText } from '../core/work/row-schemas.ts';
/** A time that the client gives: ISO 8601 with its offset. */
export const timeIn = () =>
  z.iso.datetime({ offset: true, error: 'expected an ISO 8601 time with its zone, such as 2026-03-01T09:00:00Z' });

export const workState = () => WORK_STATE;

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

/** The key of an answer that `unserved` fills; it is there only if there is something to say. */
export const warning = () =>
  z.string().optional().describe('what to look at, for people: such as a faculty that no running daemon serves');
