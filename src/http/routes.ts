/** The pages about health: one entry per path. */
import type { Readiness } from '../core/lifecycle/health.ts';

/**
 * What a path answers to GET and HEAD, as JSON. `look` says whether the daemon is ready for work. A rejection is a bug: nothing
 * answers the request then.
 */
type Route = (look: () => Promise<Readiness>) => Promise<{ readonly status: number; readonly body: object }>;

/** Paths of earlier programs, and where the API has what they were for. The address is fixed: nothing of the request goes into it. */
export const MOVED: ReadonlyMap<string, string> = new Map([['/agent/sandbox', '/api/v1/sandbox/executions']]);

export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/healthz', async () => ({ status: 200, body: { alive: true } })],
  [
    '/readyz',
    async (look) => {
      const readiness = await look();
      return { status: readiness.ready ? 200 : 503, body: readiness };
    },
  ],
]);
