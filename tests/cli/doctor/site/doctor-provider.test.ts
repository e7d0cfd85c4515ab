import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../../src/core/lifecycle/interrupts.ts';
import { eventually } from '../../../support/eventually.ts';
import { startOpenAiServer } from '../../../support/model-server/openai.ts';
import { run } from '../../run-cli.ts';
import { examinedSite, FACULTY } from '../examined-site.ts';

const site = examinedSite();
const { doctor, write } = site;

describe('the doctor of a provider', () => {
  const gateway = (url: string, more = '') =>
    `[providers.gw]\nkind = "openai"\nbase_url = "${url}/v1"\napi_key_env = "GW_KEY"\n${more}`;

  async function server() {
    const started = await startOpenAiServer([], { models: ['good'] });
    onTestFinished(() => started.close());
    return started;
  }

  test('calls the provider only on request, once, for the model that a faculty names', async () => {
    const gw = await server();
    write({ 'animus.toml': gateway(gw.url), 'faculties/clerk.toml': FACULTY });
    const silent = await doctor([], { GW_KEY: 'k' });
    expect([silent.code, gw.requests.length]).toEqual([0, 0]);
    const asked = await doctor(['--provider', 'gw'], { GW_KEY: 'k' });
    expect(asked.findings.at(-1)).toMatchObject({ check: 'provider gw', state: 'ok' });
    expect(asked.findings.at(-1)?.detail).toMatch(/^answered in .* \(good\)$/);
    expect([asked.code, gw.requests.length]).toEqual([0, 1]);
  });

  test('names the variable that the key belongs in', async () => {
    const gw = await server();
    write({ 'animus.toml': gateway(gw.url) });
    const { code, findings } = await doctor(['--provider', 'gw/good']);
    expect(code).toBe(1);
    expect(findings.at(-1)).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('credentials: '),
      remedy: 'set GW_KEY, or GW_KEY_FILE',
    });
  });

  test('notes a model that is not listed, and checks several at once', async () => {
    const gw = await server();
    write({
      'animus.toml': gateway(gw.url, '[providers.dead]\nkind = "openai"\nbase_url = "http://127.0.0.1:1"\n'),
    });
    const { code, findings } = await doctor(['--provider', 'gw/bad', '--provider', 'dead/x', '--provider', 'dead'], {
      GW_KEY: 'k',
    });
    expect(code).toBe(1);
    expect(findings.slice(-3)).toMatchObject([
      { check: 'provider gw', state: 'note', detail: 'it answers, but does not list bad' },
      { check: 'provider dead', state: 'problem', remedy: expect.stringContaining('check base_url of dead') },
      { check: 'provider dead', state: 'problem', remedy: 'name one: --provider dead/MODEL' },
    ]);
  });

  test('a broken script is a problem, but not for another provider', async () => {
    const gw = await server();
    write({
      'animus.toml': gateway(gw.url, '[providers.play]\nkind = "scripted"\nscript = "play.toml"\n'),
      'play.toml': '[[answer]\n',
    });
    const { findings } = await doctor(['--provider', 'gw/good', '--provider', 'play/x'], { GW_KEY: 'k' });
    expect(findings.slice(-2)).toMatchObject([
      { check: 'provider gw', state: 'ok' },
      { check: 'provider play', state: 'problem', detail: expect.stringContaining('play.toml: line 1') },
    ]);
  });

  test('without a call it notes names that the vendor does not have, with the nearest', async () => {
    write({
      'animus.toml': '[embeddings]\nprovider = "openai"\nmodel = "text-embeding-3-small"\ndimensions = 1536\n',
      'faculties/clerk.toml': FACULTY.replace('"gw/good"', '"claude-sonet-4-5"'),
    });
    const { findings } = await doctor([]);
    expect(findings.filter(({ check }) => check === 'models')).toMatchObject([
      { state: 'note', detail: expect.stringMatching(/clerk\.toml:5: .*did you mean claude-sonnet-4-5/) },
      { state: 'note', detail: expect.stringMatching(/animus\.toml:3: .*did you mean text-embedding-3-small/) },
    ]);
  });

  test('an unknown provider is a problem, and the others are asked all the same', async () => {
    const gw = await server();
    write({ 'animus.toml': gateway(gw.url) });
    const { code, findings } = await doctor(['--provider', 'antropic', '--provider', 'gw/good'], { GW_KEY: 'k' });
    expect(code).toBe(1);
    expect(findings.map(({ check }) => check)).toContain('faculties');
    expect(findings.slice(-2)).toMatchObject([
      {
        check: 'provider antropic',
        state: 'problem',
        detail: 'no provider named antropic (did you mean anthropic?)',
        remedy: 'use one of these, or add [providers.NAME] to animus.toml',
      },
      { check: 'provider gw', state: 'ok' },
    ]);
  });

  test.each([
    ['a model', 'gw/good', ''],
    ['a model of embeddings', 'gw', '[embeddings]\nprovider = "gw"\nmodel = "e"\ndimensions = 8\n'],
  ])('ends at once if it is interrupted while %s does not answer', async (_, name, more) => {
    const hanging = createServer();
    await new Promise<void>((listening) => hanging.listen(0, '127.0.0.1', listening));
    let connected = false;
    hanging.on('connection', (socket) => {
      connected = true;
      onTestFinished(() => void socket.destroy());
    });
    onTestFinished(() => void hanging.close());
    const { port } = hanging.address() as { port: number };
    write({ 'animus.toml': gateway(`http://127.0.0.1:${port}`, more) });
    const interrupts = createInterrupts(systemClock);
    const running = run(['doctor', '--provider', name], { cwd: site.cwd, env: site.env(), interrupts });
    await eventually('the doctor is asking', () => (connected ? true : null));
    interrupts.receive('SIGINT');
    expect(await running).toMatchObject({ code: 130, stderr: expect.stringMatching(/animus: stopped\n$/) });
  });
});
