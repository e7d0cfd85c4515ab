/**
 * The rule for names of the schema that has the queues: they stand in the texts of SQL functions, so nothing that quotes or formats. `public` is for
 * applications, and the others belong to animus and to PostgreSQL.
 */
export const PGMQ_SCHEMA_NAME = /^(?!pg_|(?:animus|public|information_schema)$)[A-Za-z_][A-Za-z0-9_ -]{0,62}$/;

/** The rule as text that completes "expected …". */
export const PGMQ_SCHEMA_NAME_RULE =
  '1 to 63 letters from a to z, digits, spaces, - and _, a letter or _ first; not animus, public, information_schema or pg_…';
