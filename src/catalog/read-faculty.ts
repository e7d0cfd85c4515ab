/** Turns the text of one faculty file into a Faculty, or into everything that is wrong with it. */
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../core/errors.ts';
import { type Problem, problemAt, showValue } from '../core/problem.ts';
import { readStrictToml, type StrictDocument } from '../core/strict-toml.ts';
import { didYouMean } from '../core/suggest.ts';
import type { EngageSettings, Faculty, PhaseHook } from './faculty.ts';
import { type FacultyDocument, facultySchema } from './faculty-schema.ts';
import { type OutcomeSchema, parseOutcomeSchema } from './outcome-schema.ts';

/** What faculties may refer to. */
export interface FacultyReferences {
  /** Tools beside the engine's own. */
  readonly toolNames: readonly string[];
  /** Providers of the configuration; not checked where they are not given. */
  readonly providerNames?: readonly string[];
}

/** Either the faculty, or why there is none; the name also where only something else is wrong. */
export interface FacultyReading {
  readonly name: string | null;
  readonly faculty: Faculty | null;
  readonly problems: readonly Problem[];
}

/** Reads a faculty file's text. `file` is absolute; prompt files, hooks and workspace are looked at on this machine. */
export function readFaculty(file: string, text: string, references: FacultyReferences): FacultyReading {
  const document = readStrictToml(file, text, facultySchema);
  const problems = [...document.problems];
  const check: Check = { document, directory: dirname(file), problems };
  const systemPrompt = readSystemPrompt(check);
  checkTools(check, references.toolNames);
  checkModels(check, references.providerNames);
  checkConcurrency(check);
  checkThinking(check);
  checkBackoff(check);
  const outcomeSchema = readOutcomeSchema(check);
  const orient = readHook(check, 'orient');
  const consolidate = readHook(check, 'consolidate');
  const recover = readHook(check, 'recover');
  checkRecoverHook(check);
  const workspace = readWorkspace(check);
  const repo = readRepo(check);

  const name = document.given('faculty', 'name');
  const known = typeof name === 'string' ? name : null;
  if (problems.length > 0 || document.sound === null) return { name: known, faculty: null, problems };
  const { faculty } = document.sound;
  const result: Faculty = {
    name: faculty.name,
    description: faculty.description,
    file,
    maxConcurrent: faculty.concurrent ? (faculty.max_concurrent ?? null) : 1,
    dedupUntil: faculty.dedup_until,
    runDeadlineSeconds: faculty.run_deadline_seconds,
    isolation: faculty.isolation,
    repo,
    workspace,
    orient,
    engage: engageOf(faculty.engage, systemPrompt, outcomeSchema),
    consolidate,
    recover: {
      maxAttempts: faculty.recover.max_attempts,
      backoff: faculty.recover.backoff,
      baseSeconds: faculty.recover.base_seconds,
      maxSeconds: faculty.recover.max_seconds,
      hook: recover,
    },
    origins: originsOf(document),
  };
  return { name: known, faculty: deepFreeze(result), problems };
}

interface Check {
  readonly document: StrictDocument<FacultyDocument>;
  readonly directory: string;
  readonly problems: Problem[];
}

function conflict({ document, problems }: Check, path: readonly string[], detail: string): void {
  problems.push(problemAt('config.conflict', document.placeOf('faculty', ...path), { detail }));
}

/** The prompt's text; empty when there is a problem with it. */
function readSystemPrompt(check: Check): string {
  const { document } = check;
  const written = (key: string) => document.written('faculty', 'engage', key);
  const [inline, path] = [written('system_prompt'), document.given('faculty', 'engage', 'system_prompt_file')];
  if (inline !== undefined && written('system_prompt_file') !== undefined) {
    conflict(check, ['engage', 'system_prompt_file'], 'system_prompt is there too; keep one of them');
  } else if (typeof path === 'string') {
    return readPromptFile(check, path);
  } else if (document.given('faculty', 'engage', 'model') && inline === undefined && !written('system_prompt_file')) {
    conflict(check, ['engage'], 'needs system_prompt or system_prompt_file');
  }
  return typeof inline === 'string' ? inline : '';
}

function readPromptFile(check: Check, path: string): string {
  const place = ['engage', 'system_prompt_file'];
  try {
    const text = readFileSync(resolve(check.directory, path), 'utf8');
    if (text.trim() === '') conflict(check, place, `${path} is empty`);
    return text;
  } catch (error) {
    conflict(check, place, `${path} cannot be read: ${messageOf(error)}`);
    return '';
  }
}

/** The schema itself; null when there is none, or a problem with it. */
function readOutcomeSchema(check: Check): OutcomeSchema | null {
  const path = check.document.given('faculty', 'engage', 'outcome_schema');
  if (typeof path !== 'string') return null;
  const place = ['engage', 'outcome_schema'];
  try {
    const parsed = parseOutcomeSchema(readFileSync(resolve(check.directory, path), 'utf8'));
    if ('schema' in parsed) return parsed.schema;
    conflict(check, place, `${path} ${parsed.problem}`);
  } catch (error) {
    conflict(check, place, `${path} cannot be read: ${messageOf(error)}`);
  }
  return null;
}

function checkTools(check: Check, toolNames: readonly string[]): void {
  const tools = check.document.given('faculty', 'engage', 'tools');
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of (tools as string[]).entries()) {
    if (!toolNames.includes(tool)) {
      conflict(check, ['engage', 'tools'], `no tool named ${showValue(tool)}${didYouMean(tool, toolNames)}`);
    } else if (tools.indexOf(tool) !== index) {
      conflict(check, ['engage', 'tools'], `${showValue(tool)} is named twice`);
    }
  }
}

/** Each provider is there, and no model stands twice in the chain. */
function checkModels(check: Check, providerNames: readonly string[] | undefined): void {
  const given = (key: string) => check.document.given('faculty', 'engage', key);
  const model = given('model');
  const fallbacks = given('fallback_models');
  const asked: unknown[] = [model];
  checkProvider(check, 'model', model, providerNames);
  for (const fallback of Array.isArray(fallbacks) ? fallbacks : []) {
    checkProvider(check, 'fallback_models', fallback, providerNames);
    if (asked.includes(fallback)) conflict(check, ['engage', 'fallback_models'], `${fallback} is asked before already`);
    asked.push(fallback);
  }
}

function checkProvider(check: Check, key: string, model: unknown, providerNames: readonly string[] | undefined): void {
  if (typeof model !== 'string' || !model.includes('/') || providerNames === undefined) return;
  const provider = model.slice(0, model.indexOf('/'));
  if (providerNames.includes(provider)) return;
  const hint = didYouMean(provider, providerNames) || ` (there are ${providerNames.join(', ')})`;
  conflict(check, ['engage', key], `no provider named ${provider}${hint}`);
}

/** The short forms `concurrent = false` and `parallel_tool_execution = false` stand for a maximum of 1. */
function checkConcurrency(check: Check): void {
  const { document } = check;
  if (
    document.given('faculty', 'concurrent') !== undefined &&
    document.given('faculty', 'max_concurrent') !== undefined
  ) {
    conflict(check, ['concurrent'], 'max_concurrent is there too; keep one of them');
  }
  const given = (key: string) => document.given('faculty', 'engage', key);
  if (given('parallel_tool_execution') !== undefined && given('max_parallel_tools') !== undefined) {
    conflict(check, ['engage', 'parallel_tool_execution'], 'max_parallel_tools is there too; keep one of them');
  }
}

/** Providers answer 400 to these combinations; here they are found before anything runs. */
function checkThinking(check: Check): void {
  const given = (key: string) => check.document.given('faculty', 'engage', key);
  const thinking = given('thinking_budget_tokens');
  const effort = given('reasoning_effort');
  if (typeof thinking === 'number') {
    const maxTokens = given('max_tokens') ?? check.document.sound?.faculty.engage.max_tokens ?? 8192;
    if (typeof maxTokens === 'number' && thinking >= maxTokens) {
      const detail = `must be less than max_tokens (${maxTokens}), which includes the thinking`;
      conflict(check, ['engage', 'thinking_budget_tokens'], detail);
    }
    if (effort !== undefined) {
      conflict(check, ['engage', 'reasoning_effort'], 'thinking_budget_tokens is there too; keep one of them');
    }
  }
  if (given('temperature') !== undefined && (thinking !== undefined || effort !== undefined)) {
    conflict(check, ['engage', 'temperature'], 'a model that thinks takes no temperature; remove it');
  }
}

function checkBackoff(check: Check): void {
  const recover = check.document.sound?.faculty.recover;
  if (recover === undefined || recover.base_seconds <= recover.max_seconds) return;
  conflict(
    check,
    ['recover'],
    `base_seconds (${recover.base_seconds}) is more than max_seconds (${recover.max_seconds})`,
  );
}

function readHook(check: Check, phase: 'orient' | 'consolidate' | 'recover'): PhaseHook | null {
  const written = check.document.given('faculty', phase, 'command');
  if (typeof written !== 'string') return null;
  const command = written.includes('/') ? resolve(check.directory, written) : written;
  const problem = hookProblem(written, command);
  if (problem !== null) conflict(check, [phase, 'command'], problem);
  const hook = check.document.sound?.faculty[phase];
  return hook ? { command, args: hook.args, timeoutSeconds: hook.timeout_seconds } : null;
}

/** The other phases need a command as soon as they are written; recover has settings of its own without one. */
function checkRecoverHook(check: Check): void {
  const given = (key: string) => check.document.given('faculty', 'recover', key) !== undefined;
  if (given('command')) return;
  for (const key of ['args', 'timeout_seconds']) {
    if (given(key)) conflict(check, ['recover', key], 'there is no command that it could be for');
  }
}

function hookProblem(written: string, command: string): string | null {
  if (!written.includes('/')) {
    return /\s/.test(written) ? `${showValue(written)} is no program: put its arguments into args` : null;
  }
  try {
    if (!statSync(command).isFile()) return `${command} is not a file`;
    accessSync(command, constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') return `${command} is not executable; run: chmod +x ${command}`;
    if (code === 'ENOENT') return `${command} does not exist`;
    return `${command}: ${messageOf(error)}`;
  }
}

function readWorkspace(check: Check): string | null {
  const written = check.document.given('faculty', 'workspace');
  if (typeof written !== 'string') return null;
  const workspace = resolve(check.directory, written);
  const problem = directoryProblem(workspace);
  if (problem !== null) conflict(check, ['workspace'], problem);
  return workspace;
}

/** The repository of a faculty that works in worktrees; its absolute path, whatever is wrong with it. */
function readRepo(check: Check): string | null {
  const { document } = check;
  const written = document.given('faculty', 'repo');
  if (document.given('faculty', 'isolation') !== 'worktree') {
    if (written !== undefined)
      conflict(check, ['repo'], 'is only for isolation = "worktree"; add that, or remove repo');
    return null;
  }
  if (document.given('faculty', 'workspace') !== undefined) {
    conflict(check, ['workspace'], 'with isolation = "worktree" the worktree is the workspace; remove workspace');
    return null;
  }
  if (typeof written !== 'string') {
    conflict(check, ['isolation'], '"worktree" needs repo, the repository to work on');
    return null;
  }
  const repo = resolve(check.directory, written);
  const problem = directoryProblem(repo) ?? repositoryProblem(repo);
  if (problem !== null) conflict(check, ['repo'], problem);
  return repo;
}

/** By its files alone: a repository's top directory has `.git`, a bare one is made like it. */
function repositoryProblem(path: string): string | null {
  const isRepository =
    existsSync(join(path, '.git')) || (existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects')));
  return isRepository ? null : `${path} is not the top directory of a git repository`;
}

function directoryProblem(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : `${path} is not a directory`;
  } catch (error) {
    return `${path} cannot be used on this machine: ${messageOf(error)}`;
  }
}

function engageOf(
  engage: FacultyDocument['faculty']['engage'],
  systemPrompt: string,
  outcomeSchema: OutcomeSchema | null,
): EngageSettings {
  return {
    mode: engage.mode,
    model: engage.model,
    fallbackModels: engage.fallback_models,
    systemPrompt,
    tools: engage.tools,
    maxTurns: engage.max_turns,
    maxTokens: engage.max_tokens,
    temperature: engage.temperature ?? null,
    thinkingBudgetTokens: engage.thinking_budget_tokens ?? null,
    reasoningEffort: engage.reasoning_effort ?? null,
    stop: engage.stop,
    maxParallelTools: engage.parallel_tool_execution ? engage.max_parallel_tools : 1,
    toolTimeoutSeconds: engage.tool_timeout_seconds,
    streamIdleSeconds: engage.stream_idle_seconds,
    bashIsolation: engage.bash_isolation ?? null,
    outcomeSchema,
    compactThreshold: engage.compact_threshold,
    compactKeepRecent: engage.compact_keep_recent,
    ledgerNudgeInterval: engage.ledger_nudge_interval,
    truncateClosedBlocks: engage.truncate_closed_blocks,
  };
}

function originsOf(document: StrictDocument<FacultyDocument>): Record<string, string> {
  const origins: Record<string, string> = {};
  const visit = (value: unknown, path: readonly string[]) => {
    for (const [key, inner] of Object.entries(value as object)) {
      const at = [...path, key];
      if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) visit(inner, at);
      else origins[at.join('.')] = document.originOf('faculty', ...at) ?? 'default';
    }
  };
  visit(document.written('faculty'), []);
  return origins;
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
