import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { serveMcpStdio } from '../../../src/http/mcp/serve-stdio.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { configOf } from '../../support/config-of.ts';
import { testDatabase } from '../../support/database.ts';
import { createToken } from '../../support/people.ts';

const target = testDatabase();
const HELLO = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** The server on streams of this test. */
async function serve(token?: string) {
  const secret = token ?? (await createToken(target.database, 'alice')).secret;
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const stopping = new AbortController();
  const ended = serveMcpStdio({
    db: target.database,
    log: silentLog,
    clock: systemClock,
    version: '1',
    config: configOf(),
    token: new Secret(secret),
    embeddings: null,
    oidc: null,
    stdin,
    stdout,
    signal: stopping.signal,
  });
  onTestFinished(() => void stdin.destroy());
  const answers = new Map<number, PromiseWithResolvers<ReturnType<typeof JSON.parse>>>();
  const answer = (id: number) => {
    if (!answers.has(id)) answers.set(id, Promise.withResolvers());
    return answers.get(id)!;
  };
  let rest = '';
  stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line);
      if (typeof message.id === 'number') answer(message.id).resolve(message);
    }
  });
  let last = 0;
  const send = (message: object) => {
    const id = ++last;
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`);
    return answer(id).promise;
  };
  const call = (name: string, input: object) => send({ method: 'tools/call', params: { name, arguments: input } });
  return { stdin, stopping, ended, send, call };
}

test('does not start for a token that is not valid', async () => {
  const { ended } = await serve('animus_nonsense');
  await expect(ended).rejects.toMatchObject({ code: 'http.unauthorized' });
});

test('ends when the client closes standard input, also while a call waits', async () => {
  const { stdin, ended, send, call } = await serve();
  expect(await send(HELLO)).toMatchObject({ result: { serverInfo: { name: 'animus' } } });
  const { result } = await call('submit_work', { faculty: 'engineer' });
  const { id } = JSON.parse(result.content[1].text);
  void call('wait_for_work', { id, seconds: 300 });
  await call('show_work', { id });
  stdin.end();
  await ended;
});

test('ends at an interruption', async () => {
  const { stopping, ended, send } = await serve();
  await send(HELLO);
  stopping.abort();
  await ended;
});

test('survives what is not a message, and refuses what the database would', async () => {
  const { stdin, ended, send, call } = await serve();
  await send(HELLO);
  stdin.write('not json\n\n{}\n[]\n7\n"x"\n{"jsonrpc":"2.0","id":{},"method":"tools/list"}\n');
  stdin.write(Buffer.from([0xff, 0xfe, 0x0a]));
  stdin.write(`${'['.repeat(100_000)}\n`);
  const deep = JSON.parse(`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`);
  const isInvalid = (word: string) => ({
    result: { isError: true, content: [{ text: expect.stringMatching(new RegExp(`^http.invalid: .*${word}`)) }] },
  });
  expect(await call('submit_work', { faculty: 'engineer', params: deep })).toMatchObject(isInvalid('nested'));
  expect(await call('submit_work', { faculty: 'a', description: 'a\0b' })).toMatchObject(isInvalid('NUL'));
  expect(await call('submit_work', { faculty: 'a', params: { 'a\0': 1 } })).toMatchObject(isInvalid('NUL'));
  const list = await send({ method: 'tools/list' });
  expect(list.result.tools.length).toBeGreaterThan(10);
  stdin.end();
  await ended;
});

test('a message that never ends closes the connection', async () => {
  const { stdin, ended, send } = await serve();
  await send(HELLO);
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let n = 0; n < 12; n++) stdin.write(piece);
  await ended;
});

test('calls above the limit are refused while others run', async () => {
  const { stdin, ended, send, call } = await serve();
  await send(HELLO);
  const { result } = await call('submit_work', { faculty: 'engineer' });
  const { id } = JSON.parse(result.content[1].text);
  const waiting = Array.from({ length: 16 }, () => call('wait_for_work', { id, seconds: 60 }));
  expect(await call('show_work', { id })).toMatchObject({
    result: { isError: true, content: [{ text: 'http.too_many: too many requests; try again in 1 s' }] },
  });
  await target.database.query('select animus.cancel_work($1)', [id]);
  for (const each of await Promise.all(waiting)) expect(each.result.isError).toBeUndefined();
  expect((await call('show_work', { id })).result.isError).toBeUndefined();
  stdin.end();
  await ended;
});
