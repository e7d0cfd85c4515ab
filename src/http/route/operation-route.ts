/** The route of an operation: its fields are in the path, the query or the body. */

import { listModels } from '../../llm/models/list-models.ts';
import { objectOf } from '../../operations/field-schema.ts';
import type { Field, Fields } from '../../operations/fields.ts';
import type { Operation, Outside } from '../../operations/operation.ts';
import * as schemas from '../../operations/schemas.ts';
import type { JsonRoute, Visit } from './route.ts';
import { searchVector } from './search-vector.ts';
import { unserved } from './unserved.ts';

/** What its template names is in the path; the rest in the query of GET and DELETE, otherwise in the body. */
export function routeOf({
  name,
  http,
  input,
  output,
  check,
  prepare,
  run,
  mcp: _,
  ...described
}: Operation): JsonRoute {
  const { status = 200, method, body, ...place } = http;
  const fields = Object.entries(input).filter(([, field]) => field.terminalOnly !== true);
  const inPath = ([field]: readonly [string, Field]) => http.path.includes(`{${field}}`);
  const params = Object.fromEntries(fields.filter(inPath));
  const others: Fields = Object.fromEntries(fields.filter((field) => !inPath(field)));
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const given = objectOf(others, hasBody ? 'body' : 'query', check);
  return {
    ...described,
    ...place,
    kind: 'json',
    id: name,
    method,
    status,
    input: {
      path: objectOf(params, 'query'),
      query: hasBody ? objectOf({}, 'query') : given,
      body: hasBody ? (body === undefined ? given : given.meta({ id: body })) : null,
    },
    output: output(schemas),
    ...(prepare && { prepare: (visit, given) => prepare(outside(visit), together(given)) }),
    run: (visit, given) =>
      run(
        {
          ...outside(visit),
          tx: visit.tx,
          prepared: visit.prepared as never,
          visitor: visit.visitor,
          unserved: (faculties, about) => unserved(visit.tx, faculties, about),
          views: async () => 'visible',
        },
        together(given),
      ),
  };
}

function outside(visit: Visit): Outside {
  const { services, signal, traceparent } = visit;
  return {
    config: async () => services.config,
    models: async () => services.models?.() ?? listModels({}),
    signal,
    traceparent,
    searchVector: (text) => searchVector(visit, text),
  };
}

/** No name is in two of them. */
function together({ path, query, body }: Parameters<JsonRoute['run']>[1]): never {
  return { ...path, ...query, ...(body as object | undefined) } as never;
}
