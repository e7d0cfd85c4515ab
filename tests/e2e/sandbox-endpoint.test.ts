import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpEndpoint, type EndpointLimits } from '../../src/sandbox/endpoint/http-endpoint.ts';
import { missingPython, SANDBOX_FILES } from '../support/sandbox-runner.ts';

const missing = missingPython();

async function openEndpoint(limits: EndpointLimits = {}) {
  const endpoint = createHttpEndpoint({ host: '127.0.0.1', port: 0 }, limits);
  await endpoint.start();
  onTestFinished(() => endpoint.stop());
  const url = `http://127.0.0.1:${endpoint.port()}`;
  const attachment = endpoint.attach();
  const ask = (method: string, token: string | null, body?: string, path = '/v1/messages') => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    return fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  };
  return { endpoint, url, attachment, ask };
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

describe('the endpoint', () => {
  it('carries lines both ways, in order, and ends both ends together', async () => {
    const { attachment, ask } = await openEndpoint();
    const received = await ask('GET', attachment.token);
    expect([received.status, received.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const sent = textOf(attachment.stdout);
    for (let line = 0; line < 20; line++) expect((await ask('POST', attachment.token, `${line}\n`)).status).toBe(204);
    attachment.stdin.write('one\n');
    attachment.stdin.end('two\n');
    expect(await received.text()).toBe('one\ntwo\n');
    expect(await sent).toBe(Array.from({ length: 20 }, (_, line) => `${line}\n`).join(''));
    expect((await ask('POST', attachment.token, 'late\n')).status).toBe(401);
  });

  it('knows no token but its own, and each for one container', async () => {
    const { endpoint, attachment, ask } = await openEndpoint();
    const other = endpoint.attach();
    expect(other.token).not.toBe(attachment.token);
    for (const token of [null, '', 'x', `${attachment.token}x`, attachment.token.slice(1), 'A'.repeat(43)]) {
      const refused = await ask('GET', token);
      expect([refused.status, refused.headers.get('connection')]).toEqual([401, 'close']);
    }
    expect((await ask('POST', attachment.token, 'too early\n')).status).toBe(409);
    const received = await ask('GET', attachment.token);
    expect((await ask('GET', attachment.token)).status).toBe(409);
    expect((await ask('GET', attachment.token, undefined, '/metrics')).status).toBe(404);
    expect((await ask('PUT', attachment.token, 'x')).status).toBe(405);
    expect((await ask('POST', other.token, 'not attached\n')).status).toBe(409);
    attachment.close();
    await expect(received.text())
      .resolves.toBe('')
      .catch(() => undefined);
    expect((await ask('GET', attachment.token)).status).toBe(401);
  });

  it('bounds bodies and rates of a container, and ends what breaks off', async () => {
    const { endpoint, ask } = await openEndpoint({ maxBodyBytes: 1000, burst: 5, perSecond: 0.01 });
    const long = endpoint.attach();
    await ask('GET', long.token);
    expect((await ask('POST', long.token, 'x'.repeat(1001))).status).toBe(413);
    const chunked = endpoint.attach();
    await ask('GET', chunked.token);
    const socket = rawPost(
      endpoint.port(),
      chunked.token,
      'transfer-encoding: chunked',
      `7D0\r\n${'x'.repeat(2000)}\r\n0\r\n\r\n`,
    );
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 413 /);
    // Half of a line may have been taken, so the container has ended for us.
    expect((await ask('POST', chunked.token, 'x\n')).status).toBe(401);

    const cut = endpoint.attach();
    await ask('GET', cut.token);
    const ended = textOf(cut.stdout);
    rawPost(endpoint.port(), cut.token, 'content-length: 500', 'half').end();
    expect(await ended).toMatch(/^(half)?$/);

    const busy = endpoint.attach();
    await ask('GET', busy.token);
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await ask('POST', busy.token, 'x\n')).status),
    );
    expect(statuses).toContain(429);
    expect(statuses).toContain(204);
  });

  it('closes slow clients, and strangers do not shut out a container', async () => {
    const { endpoint, attachment, ask } = await openEndpoint({ headersMs: 300 });
    const slow = connect(endpoint.port(), '127.0.0.1').on('error', () => {});
    slow.write('GET /v1/messages HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await once(slow.resume(), 'close');
    const strangers = Array.from({ length: 200 }, () => connect(endpoint.port(), '127.0.0.1').on('error', () => {}));
    onTestFinished(() => strangers.forEach((socket) => socket.destroy()));
    const received = await ask('GET', attachment.token);
    expect(received.status).toBe(200);
    attachment.stdin.end('still here\n');
    expect(await received.text()).toBe('still here\n');
  });
});

/** A request written by hand, whose body may lie. */
function rawPost(port: number, token: string, header: string, body: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.setEncoding('utf8');
  socket.write(`POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${header}\r\n\r\n${body}`);
  return socket;
}

describe.skipIf(missing)(`the runner over HTTP${missing === null ? '' : ` (${missing})`}`, () => {
  it('runs code whose calls and answers are megabytes, and gives it no network', async () => {
    const { url, attachment } = await openEndpoint();
    const cwd = mkdtempSync(join(tmpdir(), 'animus-http-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const env = { PATH: process.env['PATH'], ANIMUS_SANDBOX_URL: url, ANIMUS_SANDBOX_TOKEN: attachment.token };
    const args = ['-I', '-B', '-X', 'utf8', join(SANDBOX_FILES, 'start.py'), 'runner'];
    const child = spawn('python3', args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
    const exited = once(child, 'exit');
    const code = `
import os, socket, subprocess, sys
refused = []
for family, kind in ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET6, socket.SOCK_DGRAM), (socket.AF_NETLINK, socket.SOCK_RAW)):
    try: socket.socket(family, kind)
    except PermissionError: refused.append(family.name)
pair = socket.socketpair()
child = subprocess.run([sys.executable, "-c", "import socket; socket.socket()"], capture_output=True)
sizes = gather(echo.later("x" * 3_000_000) for _ in range(4))
return [refused, child.returncode, [len(each["content"]) for each in sizes], [name for name in os.environ if "ANIMUS" in name]]
`;
    const sdk =
      'from animus_sandbox.tool_calls import *\n@tool("echo", other_result)\ndef echo(text): return {"text": text}\n__all__ = ["echo", "gather"]';
    const send = (message: object) => attachment.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    let result: unknown;
    for await (const line of createInterface({ input: attachment.stdout })) {
      const message = JSON.parse(line) as {
        id: unknown;
        method?: string;
        params: { input: { text: string } };
        result?: unknown;
      };
      if (message.method === 'ready')
        send({ id: 'execute', method: 'execute', params: { code, sdk, skills: {}, timeout_seconds: 60 } });
      else if (message.method === 'call')
        send({ id: message.id, result: { content: message.params.input.text, is_error: false } });
      else result = message.result;
    }
    expect(result).toMatchObject({ ended: 'returned', traceback: null });
    const { value } = result as { value: string };
    expect(JSON.parse(value)).toEqual([['AF_INET', 'AF_INET6', 'AF_NETLINK'], 1, Array(4).fill(3_000_000), []]);
    expect(await exited).toEqual([0, null]);
  });
});
