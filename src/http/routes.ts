/** What there is over HTTP: one entry per path. */
import type { Route } from './route.ts';

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
