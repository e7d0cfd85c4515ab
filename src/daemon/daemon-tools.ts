/** The sources of tools of a daemon, with what they need from it. */
import type { SkillLibrary } from '../catalog/skills/skill.ts';
import type { Config, FixedConfig } from '../core/config/config.ts';
import { messageOf } from '../core/errors/errors.ts';
import { parseWebTarget } from '../core/text/web-target.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Database } from '../store/sql/database.ts';
import { readMcpPins, reportMcpTool } from '../store/work/mcp-pins.ts';
import type { Log } from '../telemetry/log.ts';
import { noQueryEmbedding } from '../tools/memory/embed-query.ts';
import { toolSources } from '../tools/source.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { mcpVariables } from './guard/mcp-variables.ts';
import type { ModelSource } from './models/focus-model.ts';
import { createQueryEmbedder } from './models/query-embedder.ts';

interface ToolHost {
  readonly db: Database;
  readonly log: Log;
  readonly options: Pick<DaemonOptions, 'version' | 'skillsDirs'> & { readonly config: FixedConfig };
  readonly models: Pick<ModelSource, 'embedder' | 'explain'>;
}

interface LiveSettings {
  /** As configured now. */
  readonly web: () => Config['web'];
  /** Null: none. */
  readonly sandbox: () => Sandbox | null;
  readonly skills: () => Promise<SkillLibrary>;
}

/** Creates them once per daemon. */
export function daemonTools(
  { db, log, options: { config, version, skillsDirs = [] }, models }: ToolHost,
  { web, sandbox, skills }: LiveSettings,
): readonly ToolSource[] {
  const { embedder, explain } = models;
  return toolSources(
    {
      web: () => ({ allow: web().allow.flatMap((target) => parseWebTarget(target) ?? []) }),
      search: () => config.web.search,
      embedQuery: embedder === null ? noQueryEmbedding : createQueryEmbedder({ db, embedder, explain }),
      sandbox,
      skills,
      writesSkills: skillsDirs.length > 0,
    },
    {
      log,
      version,
      readPins: (faculty) => readMcpPins(db, faculty),
      report: (faculty, pin, problem) =>
        reportMcpTool(db, faculty, pin, problem).catch((error: unknown) =>
          log.warn({ faculty, error: messageOf(error) }, 'could not record the problem of an MCP tool'),
        ),
      variable: mcpVariables(config, process.env, process.cwd()),
    },
  );
}
