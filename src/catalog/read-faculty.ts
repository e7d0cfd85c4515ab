/** Parses one faculty file into a Faculty or a list of all its problems. */
import { dirname, isAbsolute, resolve } from 'node:path';
import { readFacultyBudget } from '../core/config/sections/budget.ts';
import type { Place, Problem } from '../core/errors/problem.ts';
import { deepFrozen } from '../core/text/deep-frozen.ts';
import { isObject } from '../core/text/json-values.ts';
import { readStrictToml, type StrictDocument } from '../core/toml/strict-toml.ts';
import { readAwareness } from './faculty/awareness.ts';
import type { CodeExecution, EngageSettings, Faculty } from './faculty/faculty.ts';
import { type FacultyDocument, facultySchema } from './faculty/faculty-schema.ts';
import { readInstructionSettings } from './faculty/instructions.ts';
import { type LoopHooks, NO_LOOP_HOOKS } from './faculty/loop-hooks.ts';
import type { McpServer } from './faculty/mcp-server.ts';
import type { OutcomeSchema } from './faculty/outcome-schema.ts';
import type { PhaseHook } from './faculty/phase-hook.ts';
import { readSkillSettings } from './faculty/skill-settings.ts';
import { hostIsolationOf, readBashContainer } from './reading/bash-container.ts';
import { checkModels, checkThinking } from './reading/check-models.ts';
import {
  checkBackoff,
  checkCaches,
  checkCodeExecution,
  checkConcurrency,
  checkTools,
} from './reading/check-settings.ts';
import { checkEngageMode } from './reading/engage-mode.ts';
import type { FacultyCheck } from './reading/faculty-check.ts';
import { checkOptionalHooks, readHook } from './reading/faculty-hooks.ts';
import { checkHasFiles, readRepo, readWorkspace } from './reading/faculty-places.ts';
import { readOutcomeSchema, readSystemPrompt } from './reading/faculty-texts.ts';
import { readLoopHooks, type ToolKinds } from './reading/read-loop-hooks.ts';
import { readMcpServers } from './reading/read-mcp.ts';
import { type KnownTool, readPermissions } from './reading/read-permissions.ts';

/** The names that faculties may refer to. */
export interface FacultyReferences {
  /** Tools in addition to the engine's own. */
  readonly toolNames: readonly string[];
  /** What permission rules may name; not checked if undefined. */
  readonly tools?: readonly KnownTool[];
  /** Providers of the configuration; not checked if undefined. */
  readonly providerNames?: readonly string[];
  /** All tools that a hook of the loop may be for; not checked if undefined. */
  readonly toolKinds?: ToolKinds;
  /** The hooks that every faculty with a loop has; default none. */
  readonly sharedHooks?: LoopHooks;
}

/** By `faculty.consolidate.skill_creation`. */
const SKILL_CREATION = { true: 'auto', false: 'no', ask: 'ask' } as const;

/** Either the faculty or its problems. The name is set whenever it is valid. */
export interface FacultyReading {
  readonly name: string | null;
  /** Where the name is written, or where it is missing. */
  readonly namePlace: Place;
  readonly faculty: Faculty | null;
  readonly problems: readonly Problem[];
}

/** Parses the text of a faculty file. `file` is absolute. Checks prompt files, hooks and workspace on this machine. */
export function readFaculty(file: string, text: string, references: FacultyReferences): FacultyReading {
  const document = readStrictToml(file, text, facultySchema);
  const problems = [...document.problems];
  const check: FacultyCheck = { document, directory: dirname(file), problems };
  checkEngageMode(check);
  const systemPrompt = readSystemPrompt(check);
  const engineTools = references.tools?.filter(({ origin }) => origin === 'engine');
  checkTools(check, references.toolNames, engineTools);
  checkModels(check, references.providerNames);
  checkConcurrency(check);
  checkCodeExecution(check);
  checkThinking(check);
  checkBackoff(check);
  const bashContainer = readBashContainer(check);
  const outcomeSchema = readOutcomeSchema(check);
  const orient = readHook(check, 'orient');
  const external = readHook(check, 'engage');
  const consolidate = readHook(check, 'consolidate');
  const recover = readHook(check, 'recover');
  checkOptionalHooks(check);
  const hooks = readLoopHooks(check, references.sharedHooks ?? NO_LOOP_HOOKS, references.toolKinds);
  const mcp = readMcpServers(check);
  const workspace = readWorkspace(check);
  const repo = readRepo(check);
  checkHasFiles(check);
  checkCaches(check);
  const permissions = readPermissions(check, references.tools);

  const name = document.given('faculty', 'name');
  const known = typeof name === 'string' ? name : null;
  const namePlace = document.placeOf('faculty', 'name');
  if (problems.length > 0 || document.sound === null) return { name: known, namePlace, faculty: null, problems };
  const { faculty } = document.sound;
  const result: Faculty = {
    name: faculty.name,
    description: faculty.description,
    file,
    maxConcurrent: faculty.concurrent ? (faculty.max_concurrent ?? null) : 1,
    ...(faculty.prefetch !== undefined && { prefetch: faculty.prefetch }),
    dedupUntil: faculty.dedup_until,
    onDuplicate: faculty.on_duplicate,
    runDeadlineSeconds: faculty.run_deadline_seconds,
    maxMemoryMib: faculty.max_memory_mib ?? null,
    maxProcesses: faculty.max_processes ?? null,
    isolation: faculty.isolation,
    repo,
    ...(repo !== null && { commit: faculty.commit ?? 'rest' }),
    workspace,
    caches: [...new Set(faculty.caches)],
    orient,
    instructions: readInstructionSettings(faculty.orient),
    engage: engageOf(faculty, systemPrompt, outcomeSchema, external),
    bashContainer,
    ...(mcp.length > 0 && { mcp }),
    consolidate,
    skillCreation: SKILL_CREATION[`${faculty.consolidate.skill_creation}`],
    recover: {
      maxAttempts: faculty.recover.max_attempts,
      backoff: faculty.recover.backoff,
      baseSeconds: faculty.recover.base_seconds,
      maxSeconds: faculty.recover.max_seconds,
      hook: recover,
    },
    awareness: readAwareness(faculty.awareness),
    skills: readSkillSettings(faculty),
    budget: readFacultyBudget(faculty.budget),
    ...childrenOf(faculty.children),
    hooks,
    permissions,
    files: filesOf(check, [orient, external, consolidate, recover, ...Object.values(hooks).flat()], mcp),
    origins: originsOf(document),
  };
  return { name: known, namePlace, faculty: deepFrozen(result), problems };
}

function engageOf(
  { engage, bash }: FacultyDocument['faculty'],
  systemPrompt: string,
  outcomeSchema: OutcomeSchema | null,
  external: PhaseHook | null,
): EngageSettings {
  return {
    mode: engage.mode,
    external,
    model: engage.model ?? '',
    fallbackModels: engage.fallback_models,
    systemPrompt,
    tools: engage.tools,
    maxTurns: engage.max_turns,
    maxTokens: engage.max_tokens,
    temperature: engage.temperature ?? null,
    thinkingBudgetTokens: engage.thinking_budget_tokens ?? null,
    effort: engage.effort ?? engage.reasoning_effort ?? null,
    serviceTier: engage.service_tier ?? null,
    cacheTtl: engage.cache_ttl ?? null,
    stop: engage.stop,
    batch: engage.batch,
    maxParallelTools: engage.parallel_tool_execution ? engage.max_parallel_tools : 1,
    toolTimeoutSeconds: engage.tool_timeout_seconds,
    streamIdleSeconds: engage.stream_idle_seconds,
    bashIsolation: engage.bash_isolation ?? hostIsolationOf(bash.isolation),
    outcomeSchema,
    structuredOutputs: engage.structured_outputs,
    strictTools: engage.strict_tools,
    compactThreshold: engage.compact_threshold,
    compactKeepRecent: engage.compact_keep_recent,
    ledgerNudgeInterval: engage.ledger_nudge_interval,
    truncateClosedBlocks: engage.truncate_closed_blocks,
    codeExecution: codeExecutionOf(engage),
  };
}

function codeExecutionOf(engage: FacultyDocument['faculty']['engage']): CodeExecution | null {
  if (!engage.code_execution && engage.mode !== 'code') return null;
  return {
    timeoutSeconds: engage.code_execution_timeout,
    image: engage.code_execution_image ?? null,
    memoryMib: engage.code_execution_memory,
    cpus: engage.code_execution_cpus,
    mountsWorkspace: engage.code_execution_workspace,
  };
}

/** An empty list allows nothing: then there are no tools for child work, as without the table. */
function childrenOf(children: FacultyDocument['faculty']['children']): Pick<Faculty, 'children'> {
  if (!children || children.faculties.length === 0) return {};
  const { faculties, max_children: maxChildren, max_depth: maxDepth } = children;
  return { children: { faculties, maxChildren, maxDepth } };
}

function filesOf(
  { document, directory }: FacultyCheck,
  hooks: readonly (PhaseHook | null)[],
  mcp: readonly McpServer[],
): string[] {
  const texts = ['system_prompt_file', 'outcome_schema'].map((key) => document.given('faculty', 'engage', key));
  const written = texts.filter((path) => typeof path === 'string').map((path) => resolve(directory, path));
  const programs = [...hooks, ...mcp].filter((program) => program !== null);
  const started = programs.flatMap(({ command, args }) => [command ?? '', ...args]).filter(isAbsolute);
  return [...new Set([...written, ...started])];
}

function originsOf(document: StrictDocument<FacultyDocument>): Record<string, string> {
  const origins: Record<string, string> = {};
  const visit = (value: unknown, path: readonly string[]) => {
    for (const [key, inner] of Object.entries(value as object)) {
      const at = [...path, key];
      if (isObject(inner)) visit(inner, at);
      else origins[at.join('.')] = document.originOf('faculty', ...at) ?? 'default';
    }
  };
  visit(document.written('faculty'), []);
  return origins;
}
