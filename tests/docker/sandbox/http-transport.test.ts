import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_ENGINE, parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { createHttpTransport } from '../../../src/sandbox/endpoint/http-transport.ts';
import { createSandbox } from '../../../src/sandbox/execution/contained-sandbox.ts';
import type { CodeCalls, ExecutionSpec } from '../../../src/sandbox/sandbox.ts';
import { sdkSource } from '../../../src/sandbox/sdk/sdk-source.ts';
import { docker } from '../appliance.ts';
import { builtImage } from './built-image.ts';
import { missingEngine, testHost } from './containers.ts';

const missing = missingEngine();
const engine = parseEngineAddress(DEFAULT_ENGINE)!;
const never = new AbortController().signal;
const TOOLS = [{ name: 'echo', description: 'Gives back.', inputSchema: { properties: { text: { type: 'string' } } } }];
const echo: CodeCalls = async ({ input }) => ({ content: (input as { text: string }).text, isError: false });

function newNetwork(): string {
  const network = `animus-test-${randomBytes(4).toString('hex')}`;
  onTestFinished(async () => void (await docker(['network', 'rm', network]).catch(() => '')));
  return network;
}

async function httpSandbox(network: string) {
  const image = await builtImage();
  const { host, left, stop } = testHost();
  await host.start();
  const http = createHttpTransport({ engine, network });
  const settings = { image, runtime: null, maxProcesses: 64, workMib: 16, poolSize: 1, maxExecutions: 4 };
  const sandbox = createSandbox({ ...settings, http, containers: host, sdkSource });
  onTestFinished(async () => {
    await sandbox.stop();
    await stop();
    expect(await left()).toEqual([]);
  });
  host.setDeadline('item', 120_000);
  const limits = { image: '', memoryBytes: 128 * 2 ** 20, cpus: 1, timeoutMs: 30_000 };
  const run = (code: string, calls = echo) => {
    const spec: ExecutionSpec = { owner: 'item', code, tools: TOOLS, skills: [], ...limits };
    return sandbox.execute(spec, calls, never);
  };
  return { sandbox, run, image };
}

describe.skipIf(missing)(`transport = "http"${missing === null ? '' : ` (${missing})`}`, () => {
  it('runs code on a network of its own, of which the code itself has nothing', async () => {
    const network = newNetwork();
    const { run } = await httpSandbox(network);
    const first = await run(`
import os, socket, subprocess, urllib.request
def attempt(action):
    try: return action()
    except OSError as error: return type(error).__name__
return {
    "called": [each["content"] for each in gather(echo.later(text=str(n)) for n in range(20))][-1],
    "socket": attempt(socket.socket), "names": socket.AF_UNIX and sorted(name for name in os.environ if "SANDBOX" in name),
    "fetch": attempt(lambda: urllib.request.urlopen("http://1.1.1.1", timeout=2)),
    "token": attempt(lambda: open("/proc/1/environ").read()), "memory": attempt(lambda: open("/proc/1/mem", "rb").read(1)),
}
`);
    expect([first.ended, first.problem]).toEqual(['returned', undefined]);
    expect(JSON.parse(first.value ?? '')).toEqual({
      called: '19',
      socket: 'PermissionError',
      names: [],
      fetch: 'URLError',
      token: 'PermissionError',
      memory: 'PermissionError',
    });
    const raised = await run('echo(text="x" * 5_000_000)\nraise ValueError("as over stdio")');
    expect([raised.ended, raised.traceback]).toEqual([
      'raised',
      expect.stringMatching(/line 2, in <module>\n.*ValueError: as over stdio$/s),
    ]);
    const killed = await run('import os\nos._exit(0)');
    expect(killed.ended).toBe('raised');
  });

  it('leads to nothing beyond this machine, and not to other containers', async () => {
    const network = newNetwork();
    const { run, image } = await httpSandbox(network);
    expect(await run('return 1')).toMatchObject({ value: '1' });
    // A container whose programs may open sockets, as no code of the sandbox can.
    const python = (code: string, ...more: string[]) =>
      docker(['run', '--rm', '--network', network, '--entrypoint', 'python3', ...more, image, '-c', code]);
    const peer = (
      await docker([
        'run',
        '--detach',
        '--rm',
        '--network',
        network,
        '--entrypoint',
        'python3',
        image,
        '-m',
        'http.server',
        '8000',
      ])
    ).trim();
    onTestFinished(async () => void (await docker(['rm', '--force', peer])));
    const address = (
      await docker(['inspect', '--format', `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`, peer])
    ).trim();
    const reached = await python(`
import socket
for target in (("1.1.1.1", 80), ("${address}", 8000)):
    try: socket.create_connection(target, 2); print("reached", target)
    except OSError as error: print("refused")
try: socket.getaddrinfo("example.com", 80); print("resolved")
except OSError: print("refused")
`);
    expect(reached.trim().split('\n')).toEqual(['refused', 'refused', 'refused']);
  });

  it('refuses a network that is not internal, and says what to do', async () => {
    const network = newNetwork();
    await docker(['network', 'create', network]);
    const { run } = await httpSandbox(network);
    const { ended, problem } = await run('return 1');
    expect([ended, problem]).toEqual([
      'unavailable',
      expect.stringContaining(`${network} of the sandbox cannot be used: it is not internal`),
    ]);
    expect(problem).toContain('docker network rm');
    // It recovers without a restart.
    await docker(['network', 'rm', network]);
    expect(await run('return 2')).toMatchObject({ value: '2' });
  });
});
