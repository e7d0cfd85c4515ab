/** The event streams of a database on an address of their own, until the API serves them: whoever is named in the header `x-actor` asks. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAnimusError } from '../../src/core/errors/errors.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { answerEvents, answerStates } from '../../src/http/events/answer-events.ts';
import { type EventHub, openEventHub } from '../../src/http/events/event-hub.ts';
import type { Eyes } from '../../src/http/events/eyes.ts';
import { createStateFeeds } from '../../src/http/events/state-feed.ts';
import { sendStreamed } from '../../src/http/events/streamed-response.ts';
import { readPlaces } from '../../src/store/events/places.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';
import { silentLog } from '../../src/telemetry/silent-log.ts';

export interface EventServer {
  readonly url: string;
  readonly hub: EventHub;
  stop(): Promise<void>;
}

/** `eyesOf`: default, the rights of the login of `db`. */
export async function startEventServer(
  db: Database,
  eyesOf: (actor: string) => Eyes = (key) => eyesThat(key, (look) => look(db)),
): Promise<EventServer> {
  const hub = openEventHub({ db, clock: systemClock, log: silentLog });
  await hub.start();
  const means = { hub, states: createStateFeeds(systemClock, hub.stopping), clock: systemClock, log: silentLog };
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, what, id = '', query] = /^\/(work|chats)\/([^/]+)\/events(?:\?after=(.*))?/.exec(request.url ?? '') ?? [];
    const scope = { kind: what === 'chats' ? 'conversation' : 'work', id } as const;
    const after = (request.headers['last-event-id'] as string | undefined) ?? query ?? null;
    const eyes = eyesOf((request.headers['x-actor'] as string | undefined) ?? 'nobody');
    try {
      const result = id === '' ? answerStates(means, { eyes }) : await answerEvents(means, { eyes, scope, after });
      if (!sendStreamed(result, response)) response.writeHead(result.status).end();
    } catch (error) {
      const status = isAnimusError(error, 'work.not_found') ? 404 : isAnimusError(error, 'usage.invalid') ? 400 : 500;
      if (!response.headersSent) response.writeHead(status);
      response.end(isAnimusError(error) ? error.code : String(error));
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    hub,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      await hub.stop();
      await means.states.stopped();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Looks this way, and reads so, too. */
export function eyesThat(key: string, look: Eyes['look']): Eyes {
  return { key, look, read: (wanted, limit) => look((tx) => readPlaces(tx, wanted, limit)) };
}

/** Runs as a person, through the login of a gateway. */
export function personEyes(gateway: Database, name: string): Eyes {
  return eyesThat(`person:${name}`, <T>(look: (tx: Queryable) => Promise<T>) =>
    gateway.transaction(async (tx) => {
      await tx.query('select animus.act_as($1)', [name]);
      return look(tx);
    }),
  );
}
