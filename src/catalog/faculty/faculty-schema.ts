/** The keys of a faculty file. docs/faculties.md lists the same keys, expectations and defaults; a test keeps the two equal. */
import type { z } from 'zod';
import { CACHE_TTLS, EARLIER_EFFORTS, EFFORTS, SERVICE_TIERS } from '../../core/config/providers/model-words.ts';
import { facultyBudget } from '../../core/config/sections/budget.ts';
import { VERDICTS } from '../../core/permissions/verdict.ts';
import {
  argumentList,
  count,
  decimal,
  egress,
  flag,
  flagOrAsk,
  listOf,
  matching,
  oneOf,
  seconds,
  table,
  tables,
  tableWith,
  text,
  texts,
  textsMatching,
} from '../../core/toml/fields.ts';
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../../core/work/faculty-name.ts';
import { ISOLATIONS } from '../../process/runners/runners.ts';
import { awarenessTable } from './awareness.ts';
import { instructionFields } from './instructions.ts';
import { forEachEvent, ON_ERROR } from './loop-hooks.ts';
import { mcpTables } from './mcp-server.ts';
import { MODE_NAMES } from './modes.ts';
import { PACKAGE_MANAGERS } from './package-caches.ts';
import { autoActivationFields, skillFields } from './skill-settings.ts';

const MODEL = /^[^\s/]+(\/\S+)?$/;
const MODEL_RULE = '"model" or "provider/model"';

const IMAGE = /^[a-z0-9][\w./:@-]{0,254}$/i;

/** `*` stands for any characters. */
const TOOL_PATTERN = /^[A-Za-z0-9_.*-]{1,128}$/;

const command = text('a program (its arguments go into args)');

const orient = table({
  command: command.optional(),
  args: argumentList().default([]),
  timeout_seconds: seconds(0.1, 86_400).default(60),
  ...instructionFields(),
  ...autoActivationFields(),
});

const consolidate = table({
  command: command.optional(),
  args: argumentList().default([]),
  timeout_seconds: seconds(0.1, 86_400).default(300),
  skill_creation: flagOrAsk().default('ask'),
});

const engage = table({
  mode: oneOf(MODE_NAMES).default('builtin'),
  model: matching(MODEL, MODEL_RULE).optional(),
  fallback_models: textsMatching(MODEL, MODEL_RULE, 'a list of at most 8 models', 8).default([]),
  system_prompt: text().optional(),
  system_prompt_file: text('a path').optional(),
  tools: texts('a list of tool names').default([]),
  max_turns: count(1, 100_000).default(100),
  max_tokens: count(1, 1_000_000).default(8192),
  temperature: decimal(0, 2).optional(),
  thinking_budget_tokens: count(1024, 1_000_000).optional(),
  reasoning_effort: oneOf([...EARLIER_EFFORTS]).optional(),
  effort: oneOf([...EFFORTS]).optional(),
  service_tier: oneOf([...SERVICE_TIERS]).optional(),
  cache_ttl: oneOf([...CACHE_TTLS]).optional(),
  stop: texts('a list of at most 4 strings', 4).default([]),
  batch: flag().default(false),
  max_parallel_tools: count(1, 64).default(8),
  parallel_tool_execution: flag().default(true),
  tool_timeout_seconds: seconds(0.1, 86_400).default(120),
  stream_idle_seconds: seconds(1, 3600).default(90),
  bash_isolation: oneOf(ISOLATIONS, { container: '; write isolation = "container" in [faculty.bash]' }).optional(),
  outcome_schema: text('a path').optional(),
  structured_outputs: flag().default(true),
  strict_tools: flag().default(true),
  command: command.optional(),
  args: argumentList().default([]),
  timeout_seconds: seconds(0.1, 604_800).default(3600),
  compact_threshold: decimal(0.1, 1).default(0.7),
  compact_keep_recent: count(0, 10_000).default(10),
  ledger_nudge_interval: count(0, 10_000).default(5),
  truncate_closed_blocks: flag().default(true),
  code_execution: flag().default(false),
  code_execution_timeout: seconds(1, 86_400).default(300),
  code_execution_image: matching(IMAGE, 'the name of a container image').optional(),
  code_execution_memory: count(64, 1_048_576).default(512),
  code_execution_cpus: decimal(0.1, 256).default(1),
  code_execution_workspace: flag().default(false),
});

const loopHook = table({
  command,
  args: argumentList().default([]),
  timeout_seconds: seconds(0.1, 86_400).optional(),
  on_error: oneOf(ON_ERROR).optional(),
  tools: textsMatching(TOOL_PATTERN, 'the name of a tool, or a pattern with *', 'a list of tool names', 200).optional(),
});
const loopHooks = () => tables(loopHook, 'a list of hooks', 32).default([]);

const hooks = table({
  timeout_seconds: seconds(0.1, 86_400).default(30),
  on_error: oneOf(ON_ERROR).default('block'),
  ...forEachEvent(loopHooks),
});

const bash = table({
  isolation: oneOf([...ISOLATIONS, 'container']).optional(),
  image: matching(IMAGE, 'the name of a container image').optional(),
  memory_mib: count(64, 16_777_216).optional(),
  cpus: decimal(0.01, 1024).default(2),
  pids: count(16, 1_000_000).optional(),
  network: egress().default('none'),
});

const recover = table({
  max_attempts: count(1, 1000).default(3),
  backoff: oneOf(['exponential', 'fixed']).default('exponential'),
  base_seconds: seconds(0, 86_400).default(10),
  max_seconds: seconds(0, 604_800).default(900),
  command: command.optional(),
  args: argumentList().default([]),
  timeout_seconds: seconds(0.1, 86_400).default(60),
});

const children = table({
  faculties: textsMatching(FACULTY_NAME, FACULTY_NAME_RULE, 'a list of at most 100 faculties', 100),
  max_children: count(1, 1000).default(50),
  max_depth: count(1, 5).default(5),
});

const verdict = oneOf(VERDICTS);

/** All other keys are rules: tools, with patterns or without them. */
const permissions = tableWith(
  {
    approval_deadline_seconds: seconds(1, 31_536_000).default(86_400),
    four_eyes: flag().default(false),
    risk: table({
      read: verdict.optional(),
      write: verdict.optional(),
      execute: verdict.optional(),
      network: verdict.optional(),
      spend: verdict.optional(),
    }).prefault({}),
  },
  verdict.optional(),
);

/** A faculty file, as written: everything is under `[faculty]`. */
export const facultySchema = table({
  faculty: table({
    name: matching(FACULTY_NAME, FACULTY_NAME_RULE),
    description: text().default(''),
    max_concurrent: count(1, 10_000).optional(),
    concurrent: flag().default(true),
    prefetch: count(0, 1000).optional(),
    dedup_until: oneOf(['resolved', 'claimed']).default('resolved'),
    on_duplicate: oneOf(['merge', 'tell']).default('merge'),
    run_deadline_seconds: seconds(1, 604_800).default(3600),
    max_memory_mib: count(64, 16_777_216).optional(),
    max_processes: count(16, 1_000_000).optional(),
    isolation: oneOf(['directory', 'none', 'worktree']).default('directory'),
    repo: text('a path of a git repository').optional(),
    commit: oneOf(['rest', 'none']).optional(),
    workspace: text('a path of a directory').optional(),
    caches: listOf(PACKAGE_MANAGERS).default([]),
    orient: orient.prefault({}),
    engage,
    bash: bash.prefault({}),
    consolidate: consolidate.prefault({}),
    recover: recover.prefault({}),
    permissions: permissions.prefault({}),
    mcp: mcpTables.prefault({}),
    budget: facultyBudget.optional(),
    children: children.optional(),
    awareness: awarenessTable().prefault({}),
    skills: table(skillFields()).prefault({}),
    hooks: hooks.prefault({}),
  }),
});

/** A faculty file with the defaults of the schema filled in. */
export type FacultyDocument = z.output<typeof facultySchema>;
