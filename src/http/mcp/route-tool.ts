/** Makes a tool of a route of the API: the same schemas, the same rights, the same effect. */
import { z } from 'zod';
import type { McpOffer } from '../../operations/mcp-offer.ts';
import * as schemas from '../../operations/schemas.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import { asVisitor } from '../login/visitor.ts';
import type { JsonRoute, Visit } from '../route/route.ts';
import type { McpTool } from './tool.ts';

/** How long a call waits for work that another transaction holds. */
const LOCKED_MS = 5000;

/** The keys of path, query and body are the keys of the tool; the routes that are tools use no key in two of them. */
export function routeTool(route: JsonRoute, options: McpOffer): McpTool {
  const { name, description, hints, without = [], instead, defaults = {} } = options;
  const { path, query, body } = route.input;
  const bodyShape = body instanceof z.ZodObject ? body.shape : {};
  const shape = { ...path.shape, ...query.shape, ...bodyShape, ...instead?.(schemas) };
  const offered = Object.fromEntries(Object.entries(shape).filter(([key]) => !without.includes(key)));
  return {
    name,
    description,
    hints,
    route: `${route.method} ${route.path}`,
    scope: route.scope,
    input: z.strictObject(offered),
    run: (visit, input) =>
      runRoute(route, visit, {
        path: path.parse(pick(input, path.shape)),
        query: query.parse(pick(input, query.shape)),
        body: body?.parse({ ...defaults, ...pick(input, bodyShape) }),
      }),
  };
}

/** Prepares the route, and runs it in one transaction that acts for the visitor. Only what its schema names leaves. */
export async function runRoute(
  route: JsonRoute,
  visit: Visit,
  input: Parameters<JsonRoute['run']>[1],
): Promise<unknown> {
  const { visitor, services, signal } = visit;
  const prepared = await route.prepare?.(visit, input);
  const act = () => asVisitor(services.db, visitor, (tx) => route.run({ ...visit, tx, prepared }, input));
  return route.output.parse(await untilUnlocked(act, { clock: services.clock, signal, forMs: LOCKED_MS }));
}

function pick(input: Readonly<Record<string, unknown>>, shape: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).filter(([key, value]) => Object.hasOwn(shape, key) && value !== undefined),
  );
}
