/** A client without a token, as in the page of the console: its browser sends the cookie of a session. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { ApiError, createClient, type WebSocketClass } from '../../src/client/client.ts';
import { testApi } from '../support/api.ts';
import { loginLink } from '../support/browser.ts';

const { start, owner } = testApi();

test('it logs in with a link, works, follows over a WebSocket, and logs out', async () => {
  const { url } = await start();
  let cookie = '';
  let csrf = '';
  const sent: Headers[] = [];
  /** What a browser does. */
  const browserFetch = async (address: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    headers.set('sec-fetch-site', 'same-origin');
    if (cookie !== '') headers.set('cookie', cookie);
    if (csrf !== '' && init.method !== 'GET') headers.set('x-animus-csrf', csrf);
    sent.push(headers);
    const response = await fetch(address, { ...init, headers });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return response;
  };
  class BrowserSocket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      expect(protocols).toEqual(['animus.v1']);
      super(address, protocols, { headers: { cookie, origin: url } });
    }
  }
  const webSocket = BrowserSocket as unknown as WebSocketClass;
  const client = createClient({ baseUrl: url, token: null, fetch: browserFetch, webSocket });
  const session = await client.people.createSession({ link: await loginLink(owner(), 'alice'), label: 'test' });
  ({ csrf } = session);
  expect(await client.people.showSession()).toEqual(session);
  const { id } = await client.work.submit({ faculty: 'engineer' });
  const socket = client.openSocket();
  onTestFinished(() => socket.close());
  expect((await socket.states().next()).value).toMatchObject({ type: 'snapshot', items: [{ work_item_id: id }] });
  socket.close();
  expect(await client.people.endSession()).toEqual({ id: session.id, person: 'alice' });
  await expect(client.work.show(id)).rejects.toThrow(ApiError);
  expect(sent.every((headers) => !headers.has('authorization'))).toBe(true);
});
