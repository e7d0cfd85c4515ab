/** Promise: a command in the background is run like any command of bash, can be looked at across calls, and ends with its focus. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type PermissionRule, type Permissions, permissionOf } from '../../src/core/permissions/permissions.ts';
import { parseRuleKey } from '../../src/core/permissions/rule-key.ts';
import type { Verdict } from '../../src/core/permissions/verdict.ts';
import type { Isolation } from '../../src/process/process-host.ts';
import { permittedTool, toolset } from '../../src/tools/registry.ts';
import { MAX_RUNNING } from '../../src/tools/shell/background-commands.ts';
import { bashTool } from '../../src/tools/shell.ts';
import type { Tool, ToolContext, ToolOutput } from '../../src/tools/tool.ts';
import { isolationModes, startDirectory } from '../process/isolation-modes.ts';
import { eventually, processesWith } from '../process/live-processes.ts';
import { setUpBench } from '../tools/tool-context.ts';

const modes = await isolationModes();
const TOOLS = toolset(['bash', 'bash_job']);
const [bash, job] = [TOOLS.get('bash')!, TOOLS.get('bash_job')!];

async function setUp(isolation: Isolation = 'none', more: Partial<ToolContext> = {}) {
  let calls = 0;
  const place = isolation === 'none' ? {} : { workspace: startDirectory(isolation) };
  const { context } = await setUpBench({ isolation, ...place, ...more });
  const run = async (tool: Tool, input: object): Promise<ToolOutput> => {
    if (tool.kind !== 'world') throw new Error(`${tool.name} is not a world tool`);
    return tool.run(tool.input.parse(input), { ...context, callId: `call-${++calls}` });
  };
  // The first command starts the supervisor, which takes longer than the first look at a command.
  if (more.signal === undefined) await run(bashTool, { command: 'true' });
  const start = async (command: string, input: object = {}) => {
    const output = await run(bash, { command, background: true, ...input });
    return { ...output, id: output.content.slice(0, 9) };
  };
  const look = (id: string, input: object = {}) => run(job, { id, ...input });
  const list = async () => (await run(job, {})).content.split('\n');
  return { context, start, look, list };
}

/** Looks until the output holds; returns everything that was seen. */
async function lookUntil(look: () => Promise<ToolOutput>, holds: (seen: string) => boolean): Promise<string> {
  const limit = AbortSignal.timeout(30_000);
  let seen = '';
  while (!holds(seen)) {
    limit.throwIfAborted();
    seen += `${(await look()).content}\n`;
    await once(AbortSignal.timeout(50), 'abort');
  }
  return seen;
}

describe.each(modes)('a command in the background, in isolation %s', (isolation) => {
  test('returns its id at once, and its output in pieces until it has ended', async () => {
    const { start, look, context } = await setUp(isolation);
    const go = join(context.workspace, `go-${randomUUID()}`);
    onTestFinished(() => rmSync(go, { force: true }));
    const { id, content } = await start(
      `echo first; until [ -e ${go} ]; do sleep 0.02; done; echo second; echo bad >&2; exit 3`,
    );
    expect(content).toMatch(/^bg_[0-9a-f]{6} runs in the background \(\d+(\.\d)? s\)\n/);
    if (!content.includes('first'))
      await lookUntil(
        () => look(id),
        (seen) => seen.includes('stdout:\nfirst\n'),
      );
    expect((await look(id)).content).toMatch(/^bg_[0-9a-f]{6} is running \(\d+(\.\d)? s\)\n\(no new output\)$/);
    const ending = look(id, { wait_seconds: 10 });
    writeFileSync(go, '');
    const ended = await ending;
    expect(ended.content).toMatch(/^bg_[0-9a-f]{6} ended after .* s: exit code 3\nstdout:\nsecond\nstderr:\nbad$/);
    expect(ended).toMatchObject({ isError: true, details: { running: false, exitCode: 3 } });
    expect(await look(id)).toMatchObject({
      isError: true,
      content: `there is no background command "${id}". no command is running in the background`,
    });
  });

  test('is stopped with everything that it started, also what has left its session', async () => {
    const { start, look } = await setUp(isolation);
    const token = randomUUID();
    const { id } = await start(`setsid sh -c 'sleep 300; : ${token}' & sh -c 'sleep 300; : ${token}' & echo up; wait`);
    await eventually(
      () => processesWith(token),
      (pids) => pids.length > 0,
    );
    expect((await look(id, { stop: true })).content).toMatch(
      / ended after .*: aborted before it ended, and killed together/,
    );
    expect(processesWith(token)).toEqual([]);
  });

  test('leaves nothing behind when it has ended and its child has not, or when the focus closes its commands', async () => {
    const { start, look, context } = await setUp(isolation);
    const token = randomUUID();
    const { id, content } = await start(`setsid sh -c 'sleep 300; : ${token}' >/dev/null 2>&1 & disown; exit 0`);
    const end = content.includes('ended') ? content : (await look(id, { wait_seconds: 10 })).content;
    expect(end).toMatch(/ended after .*: exit code 0/);
    expect(processesWith(token)).toEqual([]);
    await start(`trap '' TERM; sh -c 'sleep 300; : ${token}' & wait; wait`);
    await eventually(
      () => processesWith(token),
      (pids) => pids.length > 0,
    );
    await context.background.close();
    expect(processesWith(token)).toEqual([]);
    expect((await start('sleep 300')).content).toMatch(/ended after .*: aborted before/);
  });
});

describe('bash with background', () => {
  test('reports a command that ends at once as ended', async () => {
    const { start, look, context } = await setUp();
    const { id, content } = await start('echo no >&2; exit 127');
    // On a busy machine, starting it can take longer than the first look.
    const end = content.includes('ended') ? content : (await look(id, { wait_seconds: 10 })).content;
    expect(end).toMatch(/ended after .*: exit code 127\nstderr:\nno$/);
    expect(context.background.all()).toEqual([]);
  });

  test('cuts a flood, says how much was left out, and goes on with what comes later', async () => {
    const { start, look, context } = await setUp();
    const go = join(context.workspace, 'go');
    const { id } = await start(
      `echo first; yes grüß | head -c 6000000; echo; echo last; until [ -e ${go} ]; do sleep 0.02; done; echo after`,
    );
    const looking = async () => {
      const output = await look(id);
      expect(Buffer.byteLength(output.content)).toBeLessThan(17_000);
      return output;
    };
    const seen = await lookUntil(looking, (all) => all.includes('last\n'));
    expect(seen).toMatch(/stdout \(\d+ bytes, the middle left out\):/);
    expect(seen).not.toContain('\ufffd');
    writeFileSync(go, '');
    expect((await look(id, { wait_seconds: 10 })).content).toMatch(/exit code 0\nstdout:\nafter$/);
  });

  test('slows a command down that prints without end, and can still stop it', async () => {
    const { start, look } = await setUp();
    const beganMs = performance.now();
    const seen = [await start('yes')];
    const { id } = seen[0]!;
    seen.push({ ...(await look(id, { wait_seconds: 1 })), id });
    seen.push({ ...(await look(id, { stop: true })), id });
    const bytes = seen.map(({ content }) => Number(/stdout \((\d+) bytes/.exec(content)?.[1]));
    const mib = bytes.reduce((sum, each) => sum + each, 0) / 2 ** 20;
    expect(mib).toBeGreaterThan(1);
    expect(mib).toBeLessThan(3 + (4 * (performance.now() - beganMs)) / 1000);
  });

  test(`runs at most ${MAX_RUNNING} at once`, async () => {
    const { start, list, look } = await setUp();
    const ids = await Promise.all(Array.from({ length: MAX_RUNNING }, async () => (await start('exec sleep 300')).id));
    expect(new Set(ids).size).toBe(MAX_RUNNING);
    const refused = await start('echo x');
    expect(refused).toMatchObject({
      isError: true,
      content: expect.stringContaining(`which is the maximum: ${ids[0]}`),
    });
    expect(await list()).toEqual(ids.map((id) => `${id} is running: exec sleep 300`));
    await look(ids[0]!, { stop: true });
    expect((await start('exec sleep 300')).isError).toBeUndefined();
  });

  test('ends at its time-out', async () => {
    const { start, look } = await setUp();
    const { id, content } = await start('exec sleep 300', { timeout_seconds: 0.1 });
    const end = content.includes('ended') ? content : (await look(id, { wait_seconds: 10 })).content;
    expect(end).toContain('timed out after 0.1 s');
  });

  test('waits no longer than the call may take, and not when the call is aborted', async () => {
    const short = await setUp('none', { timeoutMs: 400 });
    const { id } = await short.start('exec sleep 300');
    expect((await short.look(id, { wait_seconds: 3600 })).content).toContain('is running');
    const stopping = new AbortController();
    const { start, look } = await setUp('none', { signal: stopping.signal });
    const waiting = look((await start('exec sleep 300')).id, { wait_seconds: 3600 });
    stopping.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });

  test('is offered only together with bash_job', async () => {
    expect(toolset(['bash']).get('bash')).toBe(bashTool);
    expect(bashTool.input.safeParse({ command: 'x', background: true }).success).toBe(false);
    expect(TOOLS.get('bash_job')).toMatchObject({ risk: 'write', idempotent: true });
  });

  test.each([
    ['git push', 'forbid'],
    ['ls && git push', 'forbid'],
    ['ls', 'ask'],
  ])('is judged by the same rules as in the foreground: %s', (command, verdict) => {
    const rules = (key: string, decides: Verdict): PermissionRule => {
      const read = parseRuleKey(key);
      if ('problem' in read) throw new Error(read.problem);
      return { ...read, key, verdict: decides, at: '' };
    };
    const permissions: Permissions = {
      rules: [rules('bash(git push*)', 'forbid'), rules('bash', 'ask')],
      risk: {},
      approvalDeadlineSeconds: 60,
    };
    for (const [tool, input] of [
      [bashTool, { command }],
      [bash, { command, background: true }],
    ] as const) {
      const call = { tool: permittedTool(tool), input, workspace: '/tmp', unprotected: false };
      expect(permissionOf(permissions, call).verdict).toBe(verdict);
    }
  });
});
