/** The groups of routes in the OpenAPI document. */
import { FEATURES } from '../route/features.ts';
import type { Route } from '../route/route.ts';

/** Those of the parts. */
const ALL: Readonly<Record<string, string>> = Object.assign({}, ...FEATURES.map(({ tags }) => tags));

/** The tags that the routes have, in their order, each with its description. */
export function describedTags(routes: readonly Route[]): { name: string; description: string | undefined }[] {
  return [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: ALL[name] }));
}
