/** The tools of a faculty's MCP servers, as a source of tools. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import type { McpPin } from '../../store/work/mcp-pins.ts';
import { type Tool, worldTool } from '../tool.ts';
import type { OpenTools, ToolSource } from '../tool-source.ts';
import { type Connection, createConnection } from './connection.ts';
import { inputOf } from './input-check.ts';
import type { McpSettings } from './mcp-settings.ts';
import { pinsOf, unpinned } from './selected-pins.ts';
import { mcpToolName } from './tool-name.ts';

/**
 * The tools are those that were pinned, so a focus gets its list without starting a server. A tool that was not pinned is not
 * offered.
 */
export function mcpSource(settings: McpSettings): ToolSource {
  const inputs = new Map<string, Pick<Tool, 'input' | 'inputSchema'>>();

  /** The same objects for every focus: schemas are compiled, and written for vendors, once. */
  const inputOfPin = ({ definitionHash, inputSchema }: McpPin): Pick<Tool, 'input' | 'inputSchema'> => {
    if (inputs.size > MAX_KEPT) inputs.clear();
    const known = inputs.get(definitionHash) ?? { input: inputOf(inputSchema), inputSchema };
    inputs.set(definitionHash, known);
    return known;
  };

  return {
    name: 'mcp',
    async open(faculty): Promise<OpenTools> {
      const { mcp: servers = [] } = faculty;
      if (servers.length === 0) return { tools: [] };
      const pins = await settings.readPins(faculty.name);
      const opened = servers.map((server) => ({ server, connection: createConnection(server, settings) }));
      for (const { server } of opened) warnOfMissing(faculty, server, pins, settings);
      return {
        tools: opened.flatMap(({ server, connection }) =>
          pinsOf(server, pins).map((pin) => toolOf(server, pin, connection, inputOfPin(pin))),
        ),
        close: async () => void (await Promise.all(opened.map(({ connection }) => connection.close()))),
      };
    },
  };
}

const MAX_KEPT = 2000;

function warnOfMissing({ name }: Faculty, server: McpServer, pins: readonly McpPin[], { log }: McpSettings): void {
  const tools = unpinned(server, pins);
  if (tools.length === 0) return;
  log.warn(
    { faculty: name, server: server.name, tools },
    'tools of an MCP server are not pinned and not offered to the model',
  );
}

function toolOf(
  server: McpServer,
  pin: McpPin,
  connection: Connection,
  input: Pick<Tool, 'input' | 'inputSchema'>,
): Tool {
  return worldTool<Readonly<Record<string, unknown>>>({
    name: mcpToolName(server.name, pin.name),
    description: descriptionOf(server, pin),
    ...(input as { input: ReturnType<typeof inputOf> }),
    risk: server.risk,
    idempotent: server.idempotent.includes(pin.name),
    run: (given, context) => connection.call(pin, given, context),
  });
}

/** The words are the server's, and the model must not take them for those of the operator. */
function descriptionOf({ name }: McpServer, pin: McpPin): string {
  const words =
    pin.description === '' ? 'It has no description.' : `The server describes it as follows:\n${pin.description}`;
  return `The tool ${JSON.stringify(pin.name)} of the MCP server ${JSON.stringify(name)}. ${words}`;
}
