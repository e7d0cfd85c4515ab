/** The registry of tools, and the selection for a faculty. */
import { z } from 'zod';
import type { CodeExecution, Faculty } from '../catalog/faculty/faculty.ts';
import { NO_SKILLS, type SkillLibrary } from '../catalog/skills/skill.ts';
import type { WebSearchConfig } from '../core/config/sections/web.ts';
import type { PermittedTool } from '../core/permissions/permissions.ts';
import { rememberedOf } from '../core/text/remembered.ts';
import type { ToolSpec } from '../llm/client.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { askHuman } from './ask-human.ts';
import { AWARENESS_TOOL } from './awareness/awareness-source.ts';
import { toolSchema } from './brief-schema.ts';
import { CHILD_TOOLS } from './children/child-source.ts';
import { codeItemTool } from './code/code-item-tool.ts';
import { pooledSpec } from './code/contained-run.ts';
import { executeCodeTool } from './code/execute-code.ts';
import { FILE_TOOLS } from './files.ts';
import type { ToolTable } from './known-tools.ts';
import { LEDGER_TOOLS } from './ledger.ts';
import { type EmbedQuery, noQueryEmbedding } from './memory/embed-query.ts';
import { memoryForget, memoryStore, memoryUpdate } from './memory/memory-changes.ts';
import { memorySearch } from './memory/memory-search.ts';
import { readOutput } from './read-output.ts';
import { bashJobTool } from './shell/bash-job.ts';
import { SHELL_TOOLS, withJobs } from './shell.ts';
import { SKILL_TOOLS } from './skills/skill-source.ts';
import { SKILL_WRITING_TOOLS } from './skills/writing/writing-source.ts';
import type { Tool } from './tool.ts';
import { WAIT_TOOLS } from './wait.ts';
import type { WebReach } from './web/guarded-agent.ts';
import { webSearch } from './web/search/web-search.ts';
import { webFetch } from './web/web-fetch.ts';

/** Available to every faculty with a model. */
export const ENGINE_TOOLS: readonly Tool[] = [...LEDGER_TOOLS, ...WAIT_TOOLS, askHuman, readOutput];

/** What the operator's configuration says to tools; asked at each call, because it may change. */
export interface ToolSettings {
  readonly web: () => WebReach;
  /** Null: no search endpoint is configured. */
  readonly search: () => WebSearchConfig | null;
  /** Makes vectors of what memories are searched for. */
  readonly embedQuery: EmbedQuery;
  /** Where code runs; null: this process runs none. */
  readonly sandbox: () => Sandbox | null;
  /** As it is now. */
  readonly skills: () => Promise<SkillLibrary>;
  /** Whether this process has a directory for skills that work writes. */
  readonly writesSkills: boolean;
}

/** Tools that a faculty may list in `tools`. */
export function facultyTools(settings: ToolSettings): readonly Tool[] {
  return [
    ...FILE_TOOLS,
    ...SHELL_TOOLS,
    webFetch(settings.web),
    webSearch(settings.search),
    memorySearch(settings.embedQuery),
    memoryStore,
    memoryUpdate,
    memoryForget,
  ];
}

/** As without a configuration. */
export const NO_SETTINGS: ToolSettings = {
  web: () => ({ allow: [] }),
  search: () => null,
  embedQuery: noQueryEmbedding,
  sandbox: () => null,
  skills: async () => NO_SKILLS,
  writesSkills: false,
};
const FACULTY_TOOLS = facultyTools(NO_SETTINGS);

/** Offered with `code_execution = true`, and the one call of work in mode `code`. One object for all foci of a faculty: its schema is written down once. */
export function codeTools(settings: ToolSettings): (faculty: Faculty) => readonly Tool[] {
  const callOfItem = rememberedOf((code: CodeExecution): Tool => codeItemTool(code, settings.sandbox));
  const callOfModel = rememberedOf((code: CodeExecution): Tool => executeCodeTool(code, settings.sandbox));
  return ({ engage: { codeExecution, mode } }) => {
    if (!codeExecution) return [];
    settings.sandbox()?.warm(pooledSpec(codeExecution));
    return [(mode === 'code' ? callOfItem : callOfModel)(codeExecution)];
  };
}

/** As without a faculty. */
export const CODE_TOOL: Tool = executeCodeTool(
  { timeoutSeconds: 300, image: null, memoryMib: 512, cpus: 1, mountsWorkspace: false },
  () => null,
);

/** The engine's tools that a faculty gets by a key of its own, and does not list. */
const CHOSEN_TOOLS: readonly Tool[] = [
  ...CHILD_TOOLS,
  AWARENESS_TOOL,
  ...SKILL_TOOLS,
  CODE_TOOL,
  ...SKILL_WRITING_TOOLS,
];

const ALL_TOOLS: readonly Tool[] = [...ENGINE_TOOLS, ...CHOSEN_TOOLS, ...FACULTY_TOOLS];

/** The content of known-tools.json. */
export function describeTools(): ToolTable {
  const known = withJobs(ALL_TOOLS).map((tool) => {
    const { shape } = tool.input as unknown as z.ZodObject;
    return { ...permittedTool(tool), fields: [...new Set([...Object.keys(shape), ...Object.keys(tool.kinds ?? {})])] };
  });
  return {
    listed: FACULTY_TOOL_NAMES,
    writing: FILE_TOOLS.filter(({ risk }) => risk === 'write').map(({ name }) => name),
    known,
    kinds: Object.fromEntries(ALL_TOOLS.map(({ name, kind }) => [name, kind])),
  };
}

/** A tool of a focus, as permission rules see it. */
export const permittedTool = rememberedOf(({ name, risk, kinds = {} }: Tool): PermittedTool => {
  const isEngines = [...ENGINE_TOOLS, ...CHOSEN_TOOLS].some((tool) => tool.name === name);
  const origin = isEngines ? 'engine' : FACULTY_TOOL_NAMES.includes(name) ? 'faculty' : 'server';
  return { name, risk, kinds, origin };
});

/**
 * True for a tool whose calls leave what somebody asked for: files, memories, skills, what a server changes. Not for those that write the
 * work's own records or look after its commands, nor for `bash`: nobody knows what it does.
 */
export function leavesResult({ name, risk }: Pick<Tool, 'name' | 'risk'>): boolean {
  return risk === 'write' && !OWN_RECORDS.has(name);
}

const OWN_RECORDS: ReadonlySet<string> = new Set(
  [...LEDGER_TOOLS, ...CHILD_TOOLS, bashJobTool].map(({ name }) => name),
);

/** The valid names in a faculty's `tools`. Those of the engine are there anyway. */
export const FACULTY_TOOL_NAMES: readonly string[] = [...FACULTY_TOOLS, ...ENGINE_TOOLS].map((tool) => tool.name);

/** The tools of a faculty by name: the engine's, with that for `code`, then its own in the order written. Loading has refused unknown names. */
export function toolset(
  names: readonly string[],
  tools = FACULTY_TOOLS,
  code: readonly Tool[] = [],
  engine = ENGINE_TOOLS,
): ReadonlyMap<string, Tool> {
  const own = names.flatMap((name) => tools.filter((tool) => tool.name === name));
  return new Map([...engine, ...code, ...withJobs(own)].map((tool) => [tool.name, tool]));
}

/** The definitions of the tools for the model, in order; fixed for a focus. */
export function toolSpecs(tools: ReadonlyMap<string, Tool>): ToolSpec[] {
  return [...tools.values()].map(specOf);
}

/** The same for code, whose functions are made of the whole schemas: no model reads these. */
export function codeSpecs(tools: ReadonlyMap<string, Tool>): ToolSpec[] {
  return [...tools.values()].map(wholeSpecOf);
}

const wholeSpecOf = rememberedOf(
  ({ name, description, input, inputSchema = z.toJSONSchema(input, { io: 'input' }) }: Tool): ToolSpec => {
    return { name, description, inputSchema };
  },
);

/** Most tools are the same objects for every focus of this process, and their schemas take a millisecond to write down. */
const specOf = rememberedOf(
  ({ name, description, input, words, inputSchema = toolSchema(input, words) }: Tool): ToolSpec => {
    return { name, description, inputSchema };
  },
);
