/** Makes a tool of a route of the API: the same schemas, the same rights, the same effect. */
import { z } from 'zod';
import type { McpOffer } from '../../operations/mcp-offer.ts';
import * as schemas from '../../operations/schemas.ts';
import type { JsonRoute } from '../route/route.ts';
import { runRoute } from '../route/run-route.ts';
import type { McpTool } from './tool.ts';

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
    run(visit, input) {
      const parsed = {
        path: path.parse(pick(input, path.shape)),
        query: query.parse(pick(input, query.shape)),
        body: body?.parse({ ...defaults, ...pick(input, bodyShape) }),
      };
      return runRoute(route, visit, parsed, async (ran) => (await ran()).shown);
    },
  };
}

function pick(input: Readonly<Record<string, unknown>>, shape: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).filter(([key, value]) => Object.hasOwn(shape, key) && value !== undefined),
  );
}
