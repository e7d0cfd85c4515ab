/**
 * A reading is an operation that may read very much: each of its statements has a transaction of its own, so that one that is read slowly holds
 * none. From it follow the route of the API with its place in the OpenAPI document, and the method of the client.
 */
import type { z } from 'zod';
import type { Queryable } from '../store/sql/database.ts';
import type { Fields, InputOf } from './fields.ts';
import type { Described } from './operation.ts';
import type { Schemas } from './schemas.ts';

interface DeclaredReading extends Described {
  /** Below `/api/v1`; what it takes is in the query of a GET. */
  readonly path: `/${string}`;
  /** It answers with rows, each as a line of JSON; default: with one document. */
  readonly lines?: boolean;
}

/** `output`: of each line, or of the document. */
export interface Reading<Input = never, Result = unknown> extends DeclaredReading {
  readonly input: Fields;
  readonly output: (schemas: Schemas) => z.ZodType;
  /** `db` acts for the person of the request, or for the login of the terminal. */
  readonly run: (db: Queryable, input: Input) => Promise<Result>;
}

/** Declares a reading; its fields and its output give the types of `run`. */
export function reading<
  const All extends Fields,
  Output extends z.ZodType,
  Result extends z.input<Output> | AsyncIterable<z.input<Output>>,
>(
  declared: DeclaredReading & {
    readonly input: All;
    readonly output: (schemas: Schemas) => Output;
    readonly run: (db: Queryable, input: InputOf<All>) => Promise<Result>;
  },
): Reading<InputOf<All>, Result> {
  return declared;
}
