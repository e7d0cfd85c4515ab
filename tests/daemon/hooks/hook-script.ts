import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type HookCall, runHookCommand } from '../../../src/daemon/hooks/hook-command.ts';
import type { HookInput, HookPoint } from '../../../src/daemon/hooks/hook-output.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';

const LOOP = { work_item: { id: 'w' }, readers: [], faculty: { name: 'f' }, turn: 3 };
const CALL = { id: 'c1', tool: 'bash', risk: 'execute', input: { command: 'ls' } };

const GIVEN: HookInput = {
  orient: { work_item: { id: 'w' }, readers: [], faculty: { name: 'f' }, ledger: [] },
  engage: { work_item: { id: 'w' }, readers: [], faculty: { name: 'f' }, ledger: [], context: 'what to do' },
  consolidate: {
    work_item: {},
    readers: [],
    faculty: {},
    ledger: [],
    outcome: { changed_files: ['a.ts'] },
    final_text: 'done',
    children: [],
  },
  recover: {
    work_item: {},
    readers: [],
    faculty: {},
    ledger: [],
    phase: 'engage',
    error: { code: 'x', retryable: true },
    attempt: 2,
  },
  before_llm_call: {
    event: 'before_llm_call',
    ...LOOP,
    model: 'm',
    tools: ['bash'],
    messages: [],
    omitted_messages: 0,
  },
  before_tool_call: { event: 'before_tool_call', ...LOOP, call: CALL },
  after_tool_call: {
    event: 'after_tool_call',
    ...LOOP,
    call: CALL,
    result: { content: 'done', is_error: false, details: null },
  },
};

/** A hook with this text in a directory of its own, and a function that runs it in a phase. Both end with the test. */
export async function hookScript(script: string) {
  const directory = await mkdtemp(join(tmpdir(), 'animus-hook-'));
  const file = join(directory, 'hook');
  await writeFile(file, script, { mode: 0o755 });
  const processes = createProcessHost({ graceMs: 200 });
  onTestFinished(async () => {
    await processes.stop();
    await rm(directory, { recursive: true, force: true });
  });
  const call: HookCall = {
    command: file,
    args: [],
    cwd: directory,
    focusDirectory: directory,
    home: directory,
    owner: 'focus-1',
    workItemId: 'work-1',
    focusId: 'focus-1',
    faculty: 'engineer',
    environment: {},
    timeoutMs: 15_000,
    isolation: 'none',
  };
  const run = <P extends HookPoint>(
    phase: P,
    overrides: Partial<HookCall> = {},
    signal: AbortSignal = new AbortController().signal,
    given: Partial<HookInput[P]> = {},
  ) => runHookCommand(phase, { ...call, ...overrides }, { ...GIVEN[phase], ...given }, processes, signal);
  return { run, file, directory };
}
