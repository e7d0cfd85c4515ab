/** The sources of tools of a daemon, with what they need from it. */
import type { Config, FixedConfig } from '../core/config/config.ts';
import { messageOf } from '../core/errors/errors.ts';
import { parseWebTarget } from '../core/text/web-target.ts';
import { readMcpPins, reportMcpTool } from '../store/work/mcp-pins.ts';
import { noQueryEmbedding } from '../tools/memory/embed-query.ts';
import { toolSources } from '../tools/source.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { DaemonResources } from './daemon-resources.ts';
import { createQueryEmbedder } from './embeddings/query-embedder.ts';
import { mcpVariables } from './guard/mcp-variables.ts';
import type { SkillShelf } from './skills/shelf.ts';

/** Creates them once per daemon. `settings`: as configured now. */
export function daemonTools(
  { db, log, options, models: { embedder, explain }, sandbox }: DaemonResources,
  settings: () => Pick<Config, 'web'>,
  shelf: SkillShelf,
): readonly ToolSource[] {
  const { version, skillsDirs = [] } = options;
  const config: FixedConfig = options.config;
  return toolSources(
    {
      web: () => ({ allow: settings().web.allow.flatMap((target) => parseWebTarget(target) ?? []) }),
      search: () => config.web.search,
      embedQuery: embedder === null ? noQueryEmbedding : createQueryEmbedder({ db, embedder, explain }),
      sandbox: () => sandbox,
      skills: shelf.ready,
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
