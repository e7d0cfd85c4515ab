/** MCP tools under test: a faculty's server, pinned and called as a focus does it, without a database. */
import { onTestFinished } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import type { McpServer } from '../../../src/catalog/faculty/mcp-server.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import type { McpPin } from '../../../src/store/work/mcp-pins.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { type ComparedTool, compareTools, inspectServer } from '../../../src/tools/mcp/inspect-server.ts';
import type { McpSettings } from '../../../src/tools/mcp/mcp-settings.ts';
import { mcpSource } from '../../../src/tools/mcp/mcp-source.ts';
import type { Tool, ToolContext, ToolOutput } from '../../../src/tools/tool.ts';
import { setUpBench } from '../../tools/tool-context.ts';

/** The command line of the hostile server. */
export const HOSTILE = {
  command: process.execPath,
  args: [new URL('hostile-server.mjs', import.meta.url).pathname],
} as const;

/** `hostile`: the options of the hostile server, which `environment` contains then. */
export interface McpBenchOptions extends Partial<McpServer> {
  readonly hostile?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly context?: Partial<ToolContext>;
}

/** By the options of the server, so that it is not started for each test. */
const LISTS = new Map<string, readonly ComparedTool[]>();

export async function setUpMcp(options: McpBenchOptions = {}) {
  const { hostile = {}, variables = {}, context: overrides, ...given } = options;
  const { context } = await setUpBench(overrides);
  const values: Record<string, string> = { HOSTILE: JSON.stringify(hostile), ...variables };
  const server: McpServer = {
    name: 'hostile',
    ...HOSTILE,
    url: null,
    environment: Object.keys(values),
    headers: {},
    tools: '*',
    idempotent: [],
    risk: 'execute',
    startTimeoutSeconds: 30,
    ...given,
  };
  const reports: string[] = [];
  let pins: readonly McpPin[] = [];
  const settings: McpSettings = {
    log: silentLog,
    version: '1',
    readPins: async () => pins,
    report: async (_faculty, pin, problem) => void reports.push(`${pin.name}: ${problem}`),
    variable: (name) => (name in values ? new Secret(values[name]!) : null),
  };
  const signal = new AbortController().signal;

  /** What the server lists now. */
  async function list(): Promise<readonly ComparedTool[]> {
    const key = JSON.stringify([server.url, server.args, values['HOSTILE']]);
    const known = LISTS.get(key);
    if (known) return known;
    const found = await inspectServer(server, context, settings, signal);
    if ('problem' in found) throw new Error(found.problem);
    const order = [...found.tools.keys()];
    const compared = await compareTools({ ...server, tools: '*' }, found.tools, []);
    const tools = compared.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
    LISTS.set(key, tools);
    return tools;
  }

  /** Pins what the server lists now. */
  async function pin(change: Partial<McpPin> = {}): Promise<void> {
    const tools = (await list()).flatMap(({ live }) => live ?? []);
    pins = tools.map((tool) => ({
      ...tool,
      server: server.name,
      pinnedBy: 'x',
      pinnedAt: new Date(0),
      problem: null,
      ...change,
    }));
  }

  /** A focus's tools. */
  async function open(faculty: Partial<Faculty> = {}) {
    const opened = await mcpSource(settings).open({ name: 'f', mcp: [server], ...faculty } as Faculty);
    onTestFinished(async () => opened.close?.());
    const find = (name: string): Tool => {
      const tool = opened.tools.find((each) => each.name === name || each.name === `mcp_${server.name}_${name}`);
      if (!tool) throw new Error(`no tool ${name} among ${opened.tools.map((each) => each.name).join(', ')}`);
      return tool;
    };
    const call = async (name: string, input: object = {}, changes: Partial<ToolContext> = {}): Promise<ToolOutput> => {
      const tool = find(name);
      if (tool.kind !== 'world') throw new Error('no world tool');
      return tool.run(await tool.input.parseAsync(input), { ...context, ...changes });
    };
    return { ...opened, find, call };
  }

  return { context, server, settings, pin, open, reports, values };
}
