/** Runs a phase hook for a focus: builds its input and writes its ledger entries. */
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { PhaseHook } from '../../../catalog/faculty/phase-hook.ts';
import { runsAsOwner } from '../../../process/isolation.ts';
import type { Isolation } from '../../../process/process-host.ts';
import { unixSocketsOf } from '../../../store/postgres/unix-socket.ts';
import type { HookFacts } from '../../../store/transcript/hook-facts.ts';
import { appendLedger } from '../../../store/transcript/ledger.ts';
import { currentTraceparent } from '../../../telemetry/spans.ts';
import type { CommandHome } from '../../../tools/tool.ts';
import { type HookCall, type HookResult, runHookCommand } from '../../hooks/hook-command.ts';
import type { HookInput, HookOutput, HookPhase, HookPoint } from '../../hooks/hook-output.ts';
import type { Focus } from './focus-scope.ts';
import { hostIsolation } from './host-isolation.ts';

/**
 * Runs the hook with the input common to all phases and that of this phase. It runs at least once; ANIMUS_FOCUS_ID is the idempotency
 * key.
 */
export async function runHook<P extends HookPhase>(
  focus: Focus,
  phase: P,
  hook: PhaseHook,
  facts: HookFacts & Readonly<Record<string, unknown>>,
  signal: AbortSignal = focus.run.control.signal,
): Promise<HookResult<P>> {
  const input = { ...hookFacts(focus), ...facts };
  const result = await runCommandOf(focus, phase, hook, input as unknown as HookInput[P], signal);
  if (result.kind === 'blocked') await recordHookLedger(focus, result.ledger);
  return result;
}

/** What every hook is told about its work, beside its readers. */
export function hookFacts({ work, faculty, run }: Focus) {
  return {
    work_item: {
      id: work.id,
      faculty: work.faculty,
      skill: work.skill,
      description: work.description,
      params: work.params,
      source: work.source,
      trigger_info: work.triggerInfo,
      priority: work.priority,
      parent_id: work.parentId,
      attempts: work.attempts,
      created_at: work.createdAt.toISOString(),
    },
    faculty: { name: faculty.name, description: faculty.description, workspace: run.place.workspace },
  };
}

/** Runs the command of a hook where the focus works, and logs what it says on stderr. */
export async function runCommandOf<P extends HookPoint>(
  focus: Focus,
  point: P,
  hook: PhaseHook,
  input: HookInput[P],
  signal: AbortSignal,
): Promise<HookResult<P>> {
  const { work, faculty, key, row, reach } = focus;
  await focus.run.place.directory.make();
  // It sees texts that it may have to remove, and may print them.
  const quiet = point === 'after_tool_call';
  const traceparent = currentTraceparent();
  const isolation = hostIsolation(faculty, reach.host.isolation);
  const { home, caches } = await homeOfHook(focus, point, isolation);
  const result = await runHookCommand(
    point,
    {
      command: hook.command,
      args: hook.args,
      cwd: await startingDirectory(focus, isolation),
      focusDirectory: row.directory,
      home,
      owner: work.id,
      workItemId: work.id,
      focusId: key.focusId,
      faculty: work.faculty,
      ...(traceparent !== null && { traceparent }),
      environment: { ...caches, ...reach.host.hookEnvironment },
      fileRules: focus.run.place.fileRules(givenTo(reach.host.hookEnvironment)),
      timeoutMs: hook.timeoutSeconds * 1000,
      isolation,
      quiet,
    },
    input,
    reach.host.processes,
    signal,
  );
  if (!quiet && (result.kind === 'proceed' || result.kind === 'output') && result.stderr !== '') {
    const fields = {
      work_item_id: work.id,
      focus_id: key.focusId,
      faculty: work.faculty,
      phase: point,
      stderr: result.stderr,
    };
    reach.log.info(fields, `the ${point} hook logged`);
  }
  return result;
}

/**
 * The daemon's HOME, because a hook is the operator's: it finds its configuration and logins there. Another user cannot enter that, and gets the
 * home of the focus. The shared caches are for commands that do the work: a hook that only watches it may hold secrets that they must not see.
 */
async function homeOfHook(
  { run, faculty }: Focus,
  point: HookPoint,
  isolation: Isolation,
): Promise<Pick<HookCall, 'home'> & Pick<CommandHome, 'caches'>> {
  const own = runsAsOwner(isolation) ? undefined : process.env['HOME'];
  const works = point === 'engage' && (faculty.caches ?? []).length > 0;
  if (own && !works) return { home: own, caches: {} };
  const { directory, caches } = await run.place.home.open();
  return { home: own || directory, caches: works ? caches : {} };
}

/** The workspace. Not a workspace owned by root with `uid`, which runs a command as the owner of its directory and never as root. */
async function startingDirectory({ run, row }: Focus, isolation: Isolation): Promise<string> {
  const { workspace } = run.place;
  return isolation === 'uid' && (await stat(workspace)).uid === 0 ? row.directory : workspace;
}

/** The files, and the database sockets, named by variables on the operator's list. */
function givenTo(environment: Readonly<Record<string, string>>): readonly string[] {
  const url = environment['DATABASE_URL'];
  const sockets = url === undefined ? [] : unixSocketsOf(url);
  const files = Object.values(environment).filter(isAbsolute);
  return [...files, ...sockets.flatMap((socket) => [socket.directory, socket.file])];
}

/** Writes a hook's ledger entries under the focus's lease and emits them as events. */
export async function recordHookLedger(focus: Focus, entries: HookOutput[HookPhase]['ledger']): Promise<void> {
  for (const entry of entries ?? []) {
    const seq = await appendLedger(focus.reach.db, focus.work.id, entry.type, entry.content, {
      leaseToken: focus.key.leaseToken,
      focusId: focus.key.focusId,
    });
    focus.run.emit({ type: 'ledger', seq, entryType: entry.type, content: entry.content });
  }
}
