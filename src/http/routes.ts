/** What there is over HTTP: one entry per path. */
import type { Route } from './plain-route.ts';

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
