import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { GuardedClient } from '../../../src/store/postgres/guarded-client.ts';

test('connecting ends when the client is closed meanwhile, also if the server never answers', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new GuardedClient({ connectionString: `postgres://a@127.0.0.1:${port}/x?sslmode=disable` });
  const connecting = client.connectOrClose();
  await once(server, 'connection');
  await Promise.all([expect(connecting).rejects.toThrow('closed before it was ready'), client.close(0)]);
});
