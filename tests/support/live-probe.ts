/** A route that hands the streams of an API to its test, which can see then how many things are watched. */
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import type { LiveEvents } from '../../src/http/events/live-events.ts';
import { type Route, streamRoute } from '../../src/http/route/route.ts';
import type { TestApi } from './api.ts';
import { eventually } from './eventually.ts';

export interface LiveProbe {
  /** Of the API: all routes, and the one that hands out. */
  readonly routes: readonly Route[];
  /** Waits until so many work items and conversations are watched. */
  watched(api: TestApi, count: number): Promise<unknown>;
}

export function liveProbe(): LiveProbe {
  let live: LiveEvents | null = null;
  const probe = streamRoute({
    id: 'probe',
    method: 'GET',
    path: '/probe',
    tag: 'work',
    summary: 'Probe',
    scope: 'read',
    media: ['text/plain'],
    async respond({ services }) {
      live = services.live;
      return new Response('ok');
    },
  });
  return {
    routes: [...API_ROUTES, probe],
    async watched(api, count) {
      if (live === null) await api.call('prober', 'GET', '/probe');
      const { hub } = await live!.services();
      return eventually(`${count} watched`, () => (hub.watched === count ? true : null));
    },
  };
}
