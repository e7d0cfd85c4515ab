import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { webhookHeaders } from '../../../src/features/webhooks/secret.ts';

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
