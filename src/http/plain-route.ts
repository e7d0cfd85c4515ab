import type { Readiness } from '../core/lifecycle/health.ts';

/**
 * What a path answers to GET and HEAD, as JSON. `look` says whether the daemon is ready for work. A rejection is a bug: nothing
 * answers the request then.
 */
export type Route = (look: () => Promise<Readiness>) => Promise<RouteAnswer>;

interface RouteAnswer {
  /** The HTTP status. */
  readonly status: number;
  readonly body: object;
}
