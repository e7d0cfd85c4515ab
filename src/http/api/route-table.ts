/** Finds the route of a request by its method and path. */
import type { Method } from '../route/route.ts';

interface Listed {
  readonly method: Method;
  /** With parameters in braces. */
  readonly path: string;
}

export interface Found<Route> {
  readonly route: Route;
  /** By name, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** The first of the routes that matches counts. `root`: what stands in front of their paths. */
export function routeTable<Route extends Listed>(root: string, routes: readonly Route[]) {
  const table = new Map<string, { readonly route: Route; readonly parts: readonly Part[] }[]>();
  for (const route of routes) {
    const parts = `${root}${route.path}`.split('/').map(partOf);
    const key = `${route.method} ${parts.length}`;
    table.set(key, [...(table.get(key) ?? []), { route, parts }]);
  }
  return {
    /** `target`: path and query as they were sent. HEAD asks for a GET without its body. */
    find(method: string, target: string): Found<Route> | null {
      const sent = pathOf(target).split('/');
      const asked = method === 'HEAD' ? 'GET' : method;
      for (const { route, parts } of table.get(`${asked} ${sent.length}`) ?? []) {
        const params = match(parts, sent);
        if (params !== null) return { route, params };
      }
      return null;
    },
  };
}

type Part = { readonly text: string } | { readonly name: string };

function partOf(text: string): Part {
  return text.startsWith('{') ? { name: text.slice(1, -1) } : { text };
}

function match(parts: readonly Part[], sent: readonly string[]): Record<string, string> | null {
  // The last part of a path differs most often.
  for (let n = parts.length - 1; n >= 0; n--) {
    const part = parts[n]!;
    if ('text' in part ? part.text !== sent[n] && part.text !== decoded(sent[n]!) : sent[n] === '') return null;
  }
  const params: Record<string, string> = {};
  for (const [n, part] of parts.entries()) if ('name' in part) params[part.name] = decoded(sent[n]!);
  return params;
}

function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}
