import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { settingsIn } from '../../../src/core/config/config.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { webhookSection } from '../../../src/features/webhooks/config.ts';
import { webhookHeaders } from '../../../src/features/webhooks/deliveries.ts';
import {
  listDeadDeliveries,
  retryDeliveries,
  rotateWebhook,
  testWebhook,
  webhookKeyMark,
} from '../../../src/features/webhooks/store.ts';
import { eventually } from '../../support/eventually.ts';
import { KEY, secretOf, webhookReceiver, webhookSending } from './fixtures.ts';

const { db, sending, startSender, dueNow, states } = webhookSending();

test('a delivery is signed as in Standard Webhooks, and arrives once', async () => {
  await startSender();
  await startSender();
  const id = await submit();
  await cancel(id);
  await eventually('both events', () => (sending.receiver.received.length >= 2 ? true : null));
  expect(sending.receiver.received.map(({ event, verified }) => [event.type, event.data['id'], verified])).toEqual([
    ['work.queued', id, true],
    ['work.cancelled', id, true],
  ]);
  expect(sending.receiver.received[1]!.event.data).toMatchObject({ previous_state: 'queued', state: 'cancelled' });
  expect(new Set(sending.receiver.received.map(({ id: message }) => message)).size).toBe(2);
  await eventually('the end', async () => ((await states()).every(({ state }) => state === 'delivered') ? true : null));
});

test('what is refused is sent again with the same id and body, before later events of the item', async () => {
  sending.receiver.answer = (_request, response, index) => void response.writeHead(index === 1 ? 503 : 200).end();
  const id = await submit();
  await cancel(id);
  await startSender();
  await eventually('the first attempt', async () =>
    (await states()).some(({ last_status }) => last_status === 503) ? true : null,
  );
  expect(sending.receiver.received).toHaveLength(1);
  await dueNow();
  await eventually('all', () => (sending.receiver.received.length === 3 ? true : null));
  const [first, again, cancelled] = sending.receiver.received;
  expect(again).toEqual(first);
  expect(cancelled!.event.type).toBe('work.cancelled');
});

test('the twelfth failure is a dead letter; a retry sends it again', async () => {
  sending.receiver.answer = (_request, response) => void response.writeHead(500).end();
  await testWebhook(db(), sending.hook);
  await db().query('update animus.webhook_deliveries set attempts = 11');
  await startSender();
  const [dead] = await eventually('the dead letter', async () => {
    const list = await listDeadDeliveries(db(), sending.hook);
    return list.length > 0 ? list : null;
  });
  expect(dead).toMatchObject({ event: 'webhook.test', attempts: 12, last_status: 500 });
  sending.receiver.answer = (_request, response) => void response.writeHead(200).end();
  expect(await retryDeliveries(db(), sending.hook, undefined)).toBe(1);
  await eventually('the delivery', async () => ((await states())[0]!.state === 'delivered' ? true : null));
  expect(sending.receiver.received[1]!.id).toBe(sending.receiver.received[0]!.id);
});

test.each([
  [
    'a redirect',
    (other: string) => ({ status: 302, headers: { location: other } }),
    /answered 302: redirects are not followed/,
    'pending',
  ],
  ['410', () => ({ status: 410, headers: {} }), /410/, 'dead'],
])('%s', async (_what, answer, error, state) => {
  const other = await webhookReceiver();
  const { status, headers } = answer(other.url);
  sending.receiver.answer = (_request, response) => void response.writeHead(status, headers).end();
  await testWebhook(db(), sending.hook);
  await startSender();
  await eventually('the failure', async () => ((await states())[0]!.last_error !== null ? true : null));
  expect(await states()).toMatchObject([{ state, last_status: status, last_error: expect.stringMatching(error) }]);
  expect(other.received).toEqual([]);
});

test('a new secret, of another key: deliveries have both signatures until the time of the one before is over', async () => {
  const next = new Secret('n'.repeat(40));
  await rotateWebhook(db(), sending.hook, webhookKeyMark(next), 24);
  await startSender({ keys: [next, KEY] });
  await testWebhook(db(), sending.hook);
  await eventually('a test', () => (sending.receiver.received.length === 1 ? true : null));
  // The receiver still has the old secret.
  expect(sending.receiver.received[0]).toMatchObject({ verified: true, signatures: 2 });
  sending.receiver.secret = secretOf(sending.hook, next, 2);
  await db().query('update animus.webhooks set old_until = now()');
  await eventually('a free place', async () => ((await states())[0]!.state === 'delivered' ? true : null));
  await testWebhook(db(), sending.hook);
  await eventually('another test', () => (sending.receiver.received.length === 2 ? true : null));
  expect(sending.receiver.received[1]).toMatchObject({ verified: true, signatures: 1 });
  expect(await rotateWebhook(db(), sending.hook, webhookKeyMark(next), 0)).toBe(3);
  sending.receiver.secret = secretOf(sending.hook, next, 3);
  await testWebhook(db(), sending.hook);
  await eventually('the third test', () => (sending.receiver.received.length === 3 ? true : null));
  expect(sending.receiver.received[2]).toMatchObject({ verified: true, signatures: 1 });
});

test('a stopped daemon gives back what was not answered, and one with another key sends nothing', async () => {
  const arrived = Promise.withResolvers<void>();
  sending.receiver.answer = () => arrived.resolve();
  await testWebhook(db(), sending.hook);
  const sender = await startSender();
  await arrived.promise;
  await sender.stop();
  expect(await db().query('select state, attempts, claim from animus.webhook_deliveries')).toEqual([
    { state: 'pending', attempts: 0, claim: null },
  ]);
  sending.receiver.answer = (_request, response) => void response.writeHead(200).end();
  const keyMark = webhookKeyMark(new Secret('x'.repeat(40)));
  expect(await db().query('select * from animus.claim_deliveries($1::text[])', [[keyMark]])).toEqual([]);
  await startSender();
  await eventually('the delivery', async () => ((await states())[0]!.state === 'delivered' ? true : null));
});

async function submit(): Promise<string> {
  const [row] = await db().query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('f', 'd') returning id`,
  );
  return row!.id;
}

async function cancel(id: string): Promise<void> {
  await db().query(`select animus.cancel_work($1, 'not needed')`, [id]);
}

const PAGE = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
const blockOf = (language: string) => new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(PAGE)![1]!;
const [SECRET, OTHER] = ['a', 'b'].map(
  (letter) => new Secret(`whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`),
);

test('the receiver accepts what is signed with its secret, also beside another signature, and nothing else', async () => {
  const { url, output } = await startReceiver();
  const body = '{"type":"work.dead","data":{"id":"x"}}';
  const now = Math.floor(Date.now() / 1000);
  const send = async (
    secrets: readonly Secret[],
    messageId: string,
    given: { seconds?: number; sent?: string } = {},
  ) => {
    const headers = webhookHeaders(secrets, { messageId, seconds: given.seconds ?? now, body });
    return (await fetch(url, { method: 'POST', headers, body: given.sent ?? body })).status;
  };
  expect(await send([SECRET!], '1')).toBe(204);
  expect(await send([OTHER!, SECRET!], '2')).toBe(204);
  expect(await send([SECRET!], '2')).toBe(204);
  expect(await send([OTHER!], '3')).toBe(401);
  expect(await send([SECRET!], '4', { seconds: now - 400 })).toBe(401);
  expect(await send([SECRET!], '5', { sent: body.replace('x', 'y') })).toBe(401);
  expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
  expect(output().match(/work\.dead/g)).toHaveLength(2);
});

async function startReceiver() {
  const file = join(scratch(), 'receiver.ts');
  writeFileSync(file, blockOf('ts'));
  const child = spawn(process.execPath, ['--no-warnings', file], {
    env: { WEBHOOK_SECRET: SECRET!.reveal(), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  let text = '';
  const listening = Promise.withResolvers<number>();
  child.stdout.on('data', (chunk) => {
    text += chunk;
    const [, port] = /port: (\d+)/.exec(text) ?? [];
    if (port !== undefined) listening.resolve(Number(port));
  });
  child.once('exit', () => listening.reject(new Error(text)));
  return { url: `http://127.0.0.1:${await listening.promise}/`, output: () => text };
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'animus-webhooks-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function configured(text: string, env: Record<string, string> = {}) {
  const readSecretFile = () => ({ ok: false as const, detail: 'unused' });
  const toml = { path: '/etc/animus.toml', text };
  const sources = { env, toml, userHome: '/home/x', cwd: '/', readSecretFile };
  return settingsIn(webhookSection, readConfig(sources, [webhookSection]));
}

test('the keys come from the environment, under names that the table may change', () => {
  expect(configured('')).toMatchObject({ key: null, oldKey: null, keyEnv: 'ANIMUS_WEBHOOK_KEY', allow: [] });
  const webhooks = configured('[webhooks]\nold_key_env = "BEFORE"', {
    ANIMUS_WEBHOOK_KEY: 'k'.repeat(64),
    BEFORE: 'o'.repeat(64),
  });
  expect([webhooks.key?.reveal(), webhooks.oldKey?.reveal()]).toEqual(['k'.repeat(64), 'o'.repeat(64)]);
});

test('the key is not looked for where a file that is not TOML may name another', () => {
  const file = '[webhooks]\nkey_env = "OUR_KEY"\n[daemon\n';
  expect(() => configured(file, { ANIMUS_WEBHOOK_KEY: 'short' })).toThrow(/^\/etc\/animus\.toml:3: invalid TOML/);
});

test('a key that is too short is refused', () => {
  expect(() => configured('', { ANIMUS_WEBHOOK_KEY: 'short' })).toThrow(
    'ANIMUS_WEBHOOK_KEY is too short for a key; it needs ',
  );
  expect(() => configured('[webhooks]\nold_key_env = "BEFORE"', { BEFORE: 'short' })).toThrow(
    'BEFORE is too short for a key',
  );
});
