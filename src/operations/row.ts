/** The shape of a row or an answer, which is also the type of what the store reads. */
import type { z } from 'zod';
import type { Schemas } from './schemas.ts';

/** A shape that is made once, when it is first used: so it has one place in the OpenAPI document, and a command loads no zod for it. */
export function row<Schema extends z.ZodType>(make: (schemas: Schemas) => Schema): (schemas: Schemas) => Schema {
  let made: Schema | undefined;
  return (schemas) => (made ??= make(schemas));
}

/** A row of this shape. */
export type RowOf<Shape extends (schemas: Schemas) => z.ZodType> = z.output<ReturnType<Shape>>;
