/** A focus on a real database whose loop has hooks: shell scripts that run as they do in a daemon. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type LoopHook, type LoopHooks, NO_LOOP_HOOKS } from '../../../src/catalog/faculty/loop-hooks.ts';
import type { HookEvent } from '../../../src/core/work/words.ts';
import { hooksOnResults } from '../../../src/daemon/hooks/after-tool-call.ts';
import { hooksOnRequests } from '../../../src/daemon/hooks/before-llm-call.ts';
import { hookGate } from '../../../src/daemon/hooks/before-tool-call.ts';
import { runHookCommand } from '../../../src/daemon/hooks/hook-command.ts';
import type { HookInput } from '../../../src/daemon/hooks/hook-output.ts';
import { createHookRecords } from '../../../src/daemon/hooks/hook-records.ts';
import type { HookedLoop } from '../../../src/daemon/hooks/loop-hook.ts';
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import { createJournal, type Journal } from '../../../src/engage/calls/journal.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { startTestFocus, type TestFocus } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';

/** A hook: its script after `#!/bin/sh`, in which `$SEEN` is a file for its notes, and what differs from the defaults. */
export type Scripted = { readonly script: string } & Partial<LoopHook>;

export interface HookedFocus {
  readonly focus: TestFocus;
  /** Runs the loop from what is recorded, as another process would after the first time. */
  run(overrides?: Partial<LoopParts>, gatesAfter?: readonly CallGate[]): ReturnType<typeof engage>;
  /** For a run on another database. */
  journal(db: Database): Journal;
  /** The faculty is loaded again with other hooks. */
  replaceHooks(scripts: HookedOptions['hooks']): void;
  /** Lines that hooks and tools wrote, in the order of time. */
  seen(): string[];
  /** For tools of the test. */
  note(line: string): void;
  /** The recorded runs, in order. */
  runs(): Promise<
    { event: string; hook: string; call_id: string; turn: number; decision: string; reason: string | null }[]
  >;
  readonly log: string[];
  readonly directory: string;
}

export interface HookedOptions {
  readonly script: string;
  readonly hooks: Partial<Record<HookEvent, readonly Scripted[]>>;
  /** Gets the function that notes a line. */
  readonly tools?: (note: (line: string) => void) => readonly Tool[];
  /** Between SIGTERM and SIGKILL; default 200. */
  readonly graceMs?: number;
}

export async function hookedFocus(database: Database, options: HookedOptions): Promise<HookedFocus> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-loop-hooks-'));
  const processes = createProcessHost({ graceMs: options.graceMs ?? 200 });
  onTestFinished(async () => {
    await processes.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const notes = join(directory, 'seen');
  const note = (line: string) => appendFileSync(notes, `${line}\n`);
  let hooks = writeHooks(directory, options.hooks);
  const focus = await startTestFocus(database, { script: options.script, tools: options.tools?.(note) ?? [] });
  const log: string[] = [];
  let processesBefore = 0;

  function run(overrides: Partial<LoopParts> = {}, gatesAfter: readonly CallGate[] = []) {
    const db = overrides.db ?? database;
    const means = focus.means();
    const signal = overrides.signal ?? means.signal;
    const at = (fields: object, message: string) => void log.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { debug: at, info: at, warn: at, error: at, child: () => logger };
    const hookMeans: HookedLoop = {
      hooks,
      records: createHookRecords(db, focus.key, processesBefore++ > 0, signal),
      faculty: 'hooked',
      log: logger,
      emit: means.onEvent,
      run: (event, hook, facts, stopped) => {
        const input = { event, work_item: {}, faculty: {}, ...facts } as unknown as HookInput[typeof event];
        const call = {
          command: hook.command,
          args: hook.args,
          cwd: directory,
          focusDirectory: directory,
          home: directory,
          owner: focus.key.workItemId,
          workItemId: focus.key.workItemId,
          focusId: focus.key.focusId,
          faculty: 'hooked',
          environment: { SEEN: notes },
          timeoutMs: hook.timeoutSeconds * 1000,
          isolation: 'none' as const,
          quiet: event === 'after_tool_call',
        };
        return runHookCommand(event, call, input, processes, stopped);
      },
    };
    const gate = hookGate(hookMeans);
    const afterRun = hooksOnResults(hookMeans);
    const beforeRequest = hooksOnRequests({ model: 'test', tools: ['a'] }, hookMeans);
    return engage(
      focus.means({
        gates: gate === null ? gatesAfter : [gate, ...gatesAfter],
        ...(afterRun && { afterRun }),
        ...(beforeRequest && { beforeRequest }),
        callScope: { ...means.callScope, processes, workspace: directory },
        ...overrides,
      }),
    );
  }

  return {
    focus,
    run,
    journal: (db) => createJournal(db, focus.key),
    replaceHooks(scripts) {
      hooks = writeHooks(directory, scripts);
    },
    note,
    log,
    directory,
    seen: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []),
    runs: () =>
      database.query(
        `select event, hook, call_id, turn, decision, reason from animus.hook_runs where focus_id = $1 order by turn, ended_at, hook`,
        [focus.key.focusId],
      ),
  };
}

function writeHooks(directory: string, scripts: HookedOptions['hooks']): LoopHooks {
  const written = Object.entries(scripts).map(([event, hooks]) => [
    event,
    hooks.map(({ script, ...own }, index): LoopHook => {
      const name = own.name ?? `${index + 1}`;
      const command = join(directory, `${event}-${name}`);
      writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return { name, command, args: [], timeoutSeconds: 20, onError: 'block', tools: null, ...own };
    }),
  ]);
  return { ...NO_LOOP_HOOKS, ...(Object.fromEntries(written) as Partial<LoopHooks>) };
}
