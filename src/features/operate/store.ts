/** Faculties that daemons serve: the shapes of rows, and what reads them. */
import { type RowOf, row } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';

/** What a program needs to know to submit work to a faculty. */
const told = (s: Schemas) => ({
  name: s.z.string(),
  description: s.z.string().describe('what it is for, as its file says; may be empty'),
  mode: s.z.string().describe('who does its work: builtin (a model), external (a command) or code'),
  params_schema: s
    .jsonObject()
    .nullable()
    .describe(
      'the JSON Schema of `params` of its work; null: any object, which its agent reads beside the description',
    ),
  outcome_schema: s
    .jsonObject()
    .nullable()
    .describe('the JSON Schema of its outcomes (`outcome.result`); null: they have no fixed form'),
});

export const listedFaculty = row((s) =>
  s.z.object({
    ...told(s),
    daemons: s.z.int().describe('how many serve it'),
    hosts: s.z.array(s.z.string()).readonly().nullable().describe('for those who may see all work'),
    able: s.z
      .int()
      .describe('how many of the daemons can start the containers that mode code needs, as far as they know'),
    problem: s.z.string().nullable().describe('why one cannot; for those who may see all work'),
  }),
);

/** The faculties that running daemons serve, by name; only that of the name. */
export function readFaculties(tx: Queryable, name?: string): Promise<RowOf<typeof listedFaculty>[]> {
  return tx.query(
    `select name, daemons, hosts, mode, able, problem, description, params_schema, outcome_schema
       from animus.visible_faculties where $1::text is null or name = $1 order by name`,
    [name ?? null],
  );
}

const settings = row((s) =>
  s.z.object({
    version: s.z.string().describe('of animus'),
    host: s.z.string().nullable().describe('for those who may see all work'),
    settings: s.jsonObject(),
  }),
);
export const shownFaculty = row((s) => s.z.object({ ...told(s), daemons: s.z.array(settings(s)) }));

/** How each running daemon serves this faculty, by host; none: nobody serves it. */
export function readSettings(tx: Queryable, name: string): Promise<RowOf<typeof settings>[]> {
  return tx.query(
    'select version, host, settings from animus.visible_faculty_settings where name = $1 order by host, version limit 1000',
    [name],
  );
}
