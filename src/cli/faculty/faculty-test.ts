/** `animus faculty test`: runs a faculty with its real tools and hooks, and a script in place of the model. */
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import { AnimusError, messageOf, usageError } from '../../core/errors/errors.ts';
import { interruption, sayingWhatGoesOn } from '../../core/errors/interruption.ts';
import { listProblems } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { loadRunnableFaculties } from '../../daemon/reload/load-faculties.ts';
import { submitWork } from '../../store/work/submit-work.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { jsonObject, jsonOf } from '../../terminal/command/json-option.ts';
import { createFocusView } from '../../terminal/events/focus-events.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted, duration, stateLabel } from '../../terminal/view/quantities.ts';
import { showOutcome } from '../../terminal/view/show-outcome.ts';
import { inScratchHome, type OneItemRun, runOneItem } from '../scratch/one-item.ts';

interface TestOptions extends CommonOptions {
  readonly workspace?: string;
  readonly description?: string;
  readonly params?: string;
  readonly faculties?: string;
}

export async function testCommand(
  invocation: Invocation,
  options: TestOptions,
  name: string,
  scriptFile: string,
): Promise<number> {
  const { output, context } = invocation;
  const { params: json, description = 'A test of the faculty with a script.' } = options;
  const params = json === undefined ? {} : jsonObject('--params', jsonOf('--params', json, context.cwd));
  const script = resolve(context.cwd, scriptFile);
  // Before anything is created: a broken script is the most likely mistake.
  (await import('../../llm/scripted/script.ts')).loadScript(script);
  const facultiesDir = await facultiesDirectory(invocation, options.faculties);
  const config = scriptedConfig(await invocation.config(), script);
  const faculties = await requireFaculty(name, facultiesDir, config);

  const startedMs = performance.now();
  const home = await realpath(await mkdtemp(join(tmpdir(), 'animus-test-')));
  try {
    const workspace = await copyWorkspace(invocation, options.workspace, home);
    if (faculties.get(name)!.isolation === 'worktree')
      output.note('the faculty works in a git worktree; this test works in a plain directory instead');
    const run = await runOneItem(context.signals, {
      config: inScratchHome(config, home),
      facultiesDir,
      adapt: (faculty) => onScript(faculty, workspace, options.workspace !== undefined),
      submit: async (db) => (await submitWork(db, { faculty: name, description, params, source: 'test' })).id,
      onEvent: createFocusView(output, { captions: CAPTIONS, wholeFailures: true }),
      // A second attempt would play the same script, so one is enough. Timers are waited for.
      isOver: (state) => state !== 'waiting',
    });
    conclude(output, run, performance.now() - startedMs);
    return run.item.state === 'completed' ? 0 : 1;
  } catch (error) {
    throw sayingWhatGoesOn(error, STAYS);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const STAYS = 'the temporary database and directory are deleted; what hooks and commands did outside stays';

const SCRIPT_PROVIDER = 'script';

const CAPTIONS = {
  orient: 'what the run starts with',
  engage: 'a script in place of the model, with real tools',
  consolidate: 'check and record the result',
  recover: 'decide what happens after the failure',
} as const;

/** Replaces every model of the faculty with the script: no provider is called, and no other script is read. */
function scriptedConfig(config: Config, script: string): Config {
  const providers = [...config.providers].map(
    ([name, provider]) => [name, provider.kind === 'scripted' ? { ...provider, script } : provider] as const,
  );
  const own: ProviderConfig = { name: SCRIPT_PROVIDER, kind: 'scripted', script, standsIn: true };
  return { ...config, providers: new Map([...providers, [SCRIPT_PROVIDER, own]]) };
}

/** The test works in a directory of its own: that of the faculty need not be writable. */
const elsewhere = (faculty: Faculty) => ({ ...faculty, workspace: null, repo: null });

async function requireFaculty(name: string, directory: string, config: Config): Promise<ReadonlyMap<string, Faculty>> {
  const { faculties, problems } = await loadRunnableFaculties(directory, config, elsewhere);
  if (faculties.has(name)) return faculties;
  const found = problems.length > 0 ? `; these files have problems:\n${listProblems(problems)}` : '';
  throw new AnimusError('faculty.unknown', { name, hint: `${didYouMean(name, faculties.keys())}${found}` });
}

/** Copies links unchanged: absolute links would point out of the copy, back to the original files. */
async function copyWorkspace({ context }: Invocation, given: string | undefined, home: string): Promise<string> {
  const { drain } = context.signals;
  const workspace = join(home, 'workspace');
  await mkdir(workspace);
  if (given === undefined) return workspace;
  try {
    const filter = () => !drain.aborted;
    await cp(resolve(context.cwd, given), workspace, { recursive: true, verbatimSymlinks: true, filter });
  } catch (error) {
    const detail = `--workspace: ${given} cannot be copied: ${messageOf(error)}`;
    throw usageError(detail, error);
  }
  if (drain.aborted) throw interruption();
  return workspace;
}

/** Keeps the name of each model, so that a script can answer for one and fail for another. */
function onScript(faculty: Faculty, workspace: string, asked: boolean): Faculty {
  const { engage } = faculty;
  const away = asked || faculty.workspace !== null || faculty.isolation === 'worktree';
  return {
    ...faculty,
    ...(away && { workspace }),
    // A worktree would leave its branch in the user's repository.
    ...(faculty.isolation === 'worktree' && { isolation: 'directory', repo: null }),
    // A script has no batch API.
    engage: {
      ...engage,
      batch: false,
      model: scripted(engage.model),
      fallbackModels: engage.fallbackModels.map(scripted),
    },
  };
}

function scripted(model: string): string {
  return `${SCRIPT_PROVIDER}/${model}`;
}

function conclude(output: Output, { item, foci, ledger }: OneItemRun, tookMs: number): void {
  const completed = item.state === 'completed';
  output.document({ completed, item, foci, ledger });
  showOutcome(output, item);
  output.line();
  const facts = styled(`  ${counted(item.turns, 'turn')}, ${duration(tookMs)} in all`, 'dim');
  if (item.state === 'scheduled' || item.state === 'queued') {
    output.line(styled('failed', 'red'), `; would be retried ${retryTime(item)}`, facts);
  } else output.line(stateLabel(item.state), facts);
}

/** The scratch daemon makes one attempt. A real daemon would retry after this time. */
function retryTime({ run_at: runAt, updated_at: updatedAt }: OneItemRun['item']): string {
  const ms = runAt === null ? 0 : runAt.getTime() - updatedAt.getTime();
  return ms <= 0 ? 'at once' : `in ${duration(ms)}`;
}
