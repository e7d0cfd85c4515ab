/** Requests that are answered before their body has come. */
import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';
import { closed, connected } from '../../support/raw-socket.ts';

const { start } = testApi();

const head = (token: string, more: string) =>
  `POST /api/v1/work HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\n${more}\r\n\r\n`;

test('a client whose body does not end is answered, and its connection closed', async () => {
  const { url } = await start();
  const client = await connected(url);
  client.write(head('wrong', 'transfer-encoding: chunked'));
  const more = setInterval(() => client.write('1\r\n \r\n'), 20);
  client.once('close', () => clearInterval(more));
  expect(await closed(client)).toMatch(/^HTTP\/1.1 401/);
});

test('a client that sends its body after the answer may use the connection again', async () => {
  const { url, tokenOf } = await start();
  const client = await connected(url);
  const token = await tokenOf('alice');
  const answered = new Promise<string>((done) => client.once('data', (bytes) => done(String(bytes))));
  client.write(head('wrong', 'content-length: 2'));
  expect(await answered).toMatch(/^HTTP\/1.1 401/);
  client.write(
    `{}GET /api/v1/me HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  expect(await closed(client)).toMatch(/^HTTP\/1.1 200/m);
});
