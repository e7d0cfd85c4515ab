/** Sources of a focus's tools: the registry, and other sources such as a server outside this process. */
import { asksModel, type Faculty } from '../catalog/faculty/faculty.ts';
import { awarenessSource } from './awareness/awareness-source.ts';
import { childSource } from './children/child-source.ts';
import type { McpSettings } from './mcp/mcp-settings.ts';
import { mcpSource } from './mcp/mcp-source.ts';
import { codeTools, ENGINE_TOOLS, facultyTools, type ToolSettings, toolset } from './registry.ts';
import { skillSource } from './skills/skill-source.ts';
import { skillWritingSource } from './skills/writing/writing-source.ts';
import type { Tool } from './tool.ts';
import type { ToolSource } from './tool-source.ts';

/** Every source of a process, in the order in which their tools are listed for the model. */
export function toolSources(settings: ToolSettings, mcp: McpSettings): readonly ToolSource[] {
  return [
    registry(settings),
    childSource(settings.skills),
    awarenessSource,
    skillSource(settings.skills),
    skillWritingSource(settings.writesSkills),
    mcpSource(mcp),
  ];
}

/** The engine's own tools, which are for models, and the tools of the registry that the faculty lists. */
function registry(settings: ToolSettings): ToolSource {
  const tools = facultyTools(settings);
  const codeOf = codeTools(settings);
  return {
    name: 'registry',
    async open(faculty) {
      const { engage } = faculty;
      // Code without a model may call what its faculty lists, and nothing else.
      const engine = engage.mode === 'code' ? [] : ENGINE_TOOLS;
      return { tools: [...toolset(engage.tools, tools, codeOf(faculty), engine).values()] };
    },
  };
}

/** The tools of one focus by name. */
export interface Toolset {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Stops everything that the sources started. Idempotent. */
  close(): Promise<void>;
}

/** Opens every source for a faculty. If one fails, the others are closed. If two have a tool of one name, the first wins. */
export async function openToolset(sources: readonly ToolSource[], faculty: Faculty): Promise<Toolset> {
  await using opened = new AsyncDisposableStack();
  const tools = new Map<string, Tool>();
  for (const source of sources) {
    if (source.onlyForModels && !asksModel(faculty.engage)) continue;
    const { tools: own, close } = await source.open(faculty);
    if (close) opened.defer(close);
    for (const tool of own) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  }
  const kept = opened.move();
  return { tools, close: () => kept.disposeAsync() };
}
