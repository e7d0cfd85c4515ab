/** The route of a reading: a stream of lines, or one document. */
import { objectOf } from '../../operations/field-schema.ts';
import type { Reading } from '../../operations/reading.ts';
import * as schemas from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readingAs } from '../login/visitor.ts';
import type { StreamRoute, Visit } from './route.ts';
import { streamOf } from './stream-of.ts';

export function routeOfReading({ name, input, output, lines = false, run, ...described }: Reading): StreamRoute {
  const answer = output(schemas);
  return {
    ...described,
    kind: 'stream',
    id: name,
    method: 'GET',
    input: { path: objectOf({}, 'query'), query: objectOf(input, 'query'), body: null },
    media: [lines ? 'application/jsonl' : 'application/json'],
    described: lines ? { items: answer } : { body: answer },
    async respond(visit, { query }) {
      const read = await run(readerOf(visit), query as never);
      if (!lines) return Response.json(answer.parse(read));
      return new Response(await streamOf(read as AsyncIterable<object>, visit.signal), {
        headers: { 'content-type': 'application/jsonl; charset=utf-8' },
      });
    },
  };
}

/** Runs each statement in a transaction of the visitor. */
function readerOf({ services, visitor, signal }: Visit): Queryable {
  return {
    query: (sql, params) => {
      signal.throwIfAborted();
      return readingAs(services.db, visitor, (db) => db.query(sql, params));
    },
  };
}
