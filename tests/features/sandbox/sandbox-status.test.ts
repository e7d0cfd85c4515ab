/** Promise: whoever looks learns whether containers can run, and what to do if not: without an engine, and with one that is played. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { secretPlaces } from '../../../src/daemon/guard/secret-files.ts';
import { run } from '../../cli/run-cli.ts';

const FACULTY =
  '[faculty]\nname = "coder"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "p"\ncode_execution = true\ncode_execution_image = "mine:1"\n';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sandbox-'));
  mkdirSync(join(cwd, 'faculties'));
  writeFileSync(join(cwd, 'faculties', 'coder.toml'), FACULTY);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const animus = (argv: readonly string[], env: Record<string, string> = {}) =>
  run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home'), ...env } });

/** An engine that has these images. */
async function playEngine(images: readonly string[], info: object = {}): Promise<string> {
  const path = join(cwd, 'docker.sock');
  const server = createServer(({ url = '' }, response) => {
    const [, image] = /^\/images\/(.*)\/json/.exec(url) ?? [];
    const known = image === undefined || images.includes(decodeURIComponent(image));
    const body = url.startsWith('/info')
      ? {
          ServerVersion: '99.1',
          OperatingSystem: 'Played',
          OSType: 'linux',
          Runtimes: { runc: {} },
          SecurityOptions: ['name=seccomp,profile=default'],
          ...info,
        }
      : image === undefined
        ? [{ Id: 'c', Labels: { 'animus.daemon': 'd' } }]
        : { message: `No such image: ${image}` };
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(path);
  onTestFinished(() => void server.close());
  return `unix://${path}`;
}

describe('animus sandbox status', () => {
  test('says that no engine answers, at which address, where that comes from, and what to do', async () => {
    const { code, stdout } = await animus(['sandbox', 'status'], { DOCKER_HOST: 'unix:///nowhere/docker.sock' });
    expect(code).toBe(1);
    expect(stdout).toContain('does not answer  unix:///nowhere/docker.sock (environment DOCKER_HOST)');
    expect(stdout).toContain('start the Docker engine, or set its address as endpoint in [sandbox] or as DOCKER_HOST');
  });

  test('lists the images that faculties need, with those that are missing', async () => {
    const AGENT_SANDBOX_ENDPOINT = await playEngine(['animus-sandbox:latest']);
    const { code, stdout } = await animus(['sandbox', 'status'], { AGENT_SANDBOX_ENDPOINT });
    expect(code).toBe(1);
    expect(stdout).toMatch(/Engine +99\.1, Played/);
    expect(stdout).toMatch(/Image +mine:1 +missing +used by coder/);
    expect(stdout).toMatch(/Image +animus-sandbox:latest +present\n/);
    expect(stdout).toContain('has no image mine:1; run: docker pull mine:1, or build it');
    const json = JSON.parse((await animus(['sandbox', 'status', '--json'], { AGENT_SANDBOX_ENDPOINT })).stdout);
    expect(json).toMatchObject({
      ok: false,
      origin: 'environment AGENT_SANDBOX_ENDPOINT',
      engine: { version: '99.1', runtimes: ['runc'] },
      containers: 1,
      remarks: [],
    });
    expect(json.images).toContainEqual({ name: 'mine:1', present: false, faculties: ['coder'] });
  });

  test('reports a runtime that the engine does not know, and what weakens containers', async () => {
    const images = ['mine:1', 'animus-sandbox:latest'];
    const AGENT_SANDBOX_ENDPOINT = await playEngine(images, { PidsLimit: false });
    writeFileSync(join(cwd, 'animus.toml'), '[sandbox]\nruntime = "runsc"\n');
    const { code, stdout } = await animus(['sandbox', 'status'], { AGENT_SANDBOX_ENDPOINT });
    expect(code).toBe(1);
    expect(stdout).toContain('the engine does not know the runtime runsc (it knows runc)');
    expect(stdout).toContain('the engine cannot limit the number of processes');
    writeFileSync(join(cwd, 'animus.toml'), '');
    expect((await animus(['sandbox', 'status'], { AGENT_SANDBOX_ENDPOINT })).code).toBe(0);
  });

  test('reports an engine without seccomp, on which no container starts', async () => {
    const AGENT_SANDBOX_ENDPOINT = await playEngine(['mine:1', 'animus-sandbox:latest'], { SecurityOptions: null });
    const { code, stdout } = await animus(['sandbox', 'status'], { AGENT_SANDBOX_ENDPOINT });
    expect([code, stdout]).toEqual([1, expect.stringContaining('the engine has no seccomp')]);
  });
});

test('the doctor asks the engine only if a faculty needs it', async () => {
  const AGENT_SANDBOX_ENDPOINT = await playEngine(['mine:1']);
  const findings = async (env: Record<string, string>) => {
    const all = JSON.parse((await animus(['doctor', '--json'], env)).stdout).findings as {
      check: string;
      state: string;
      detail: string;
    }[];
    return all.filter(({ check }) => check === 'sandbox');
  };
  expect(await findings({ AGENT_SANDBOX_ENDPOINT })).toMatchObject([
    { state: 'ok', detail: expect.stringContaining('has mine:1 (coder)') },
  ]);
  expect(await findings({ DOCKER_HOST: 'unix:///nowhere' })).toMatchObject([
    { state: 'problem', detail: expect.stringMatching(/needed by coder: cannot reach the Docker engine/) },
  ]);
  const second = FACULTY.replace('"coder"', '"second"').replace('mine:1', 'other:1');
  writeFileSync(join(cwd, 'faculties', 'second.toml'), second);
  expect(await findings({ DOCKER_HOST: 'unix:///nowhere' })).toMatchObject([
    { state: 'problem', detail: expect.stringMatching(/needed by coder, second: cannot reach the Docker engine/) },
  ]);
  rmSync(join(cwd, 'faculties', 'second.toml'));
  writeFileSync(join(cwd, 'faculties', 'coder.toml'), FACULTY.replace(/code_execution.*\n/g, ''));
  expect(await findings({ DOCKER_HOST: 'unix:///nowhere' })).toEqual([]);
});

test('commands of agents see neither the socket nor the certificates of the engine', () => {
  const places = (toml: string) => {
    writeFileSync(join(cwd, 'animus.toml'), toml);
    const env = { ANIMUS_HOME: join(cwd, 'home') };
    return secretPlaces(loadConfig({ env, cwd }), env);
  };
  expect(places('[sandbox]\nendpoint = "unix:///srv/engine/docker.sock"').sockets).toContain('/srv/engine/docker.sock');
  const tls = places('[sandbox]\nendpoint = "tcp://box:2376"\ncertificates = "/srv/tls"');
  expect(tls.secrets).toContain('/srv/tls');
});
