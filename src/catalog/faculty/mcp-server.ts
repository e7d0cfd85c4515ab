/** What a faculty says about an MCP server whose tools it uses. */
import {
  argumentList,
  httpUrl,
  matching,
  oneOf,
  seconds,
  table,
  tableOf,
  text,
  textsMatching,
} from '../../core/toml/fields.ts';

/** Plain, frozen data, part of the faculty. */
export interface McpServer {
  readonly name: string;
  /** Stdio: absolute if it was written with a slash; else looked up on PATH. Null with a `url`. */
  readonly command: string | null;
  readonly args: readonly string[];
  /** Streamable HTTP; null with a `command`. */
  readonly url: string | null;
  /** Names of variables of the daemon that the server's process gets. */
  readonly environment: readonly string[];
  /** Headers of every request, and the variables that contain their values. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which of the server's tools the faculty gets, by their names at the server; `*`: all of them. */
  readonly tools: readonly string[] | '*';
  /** Of these, a call that was cut off may be run again. */
  readonly idempotent: readonly string[];
  readonly risk: McpRisk;
  readonly startTimeoutSeconds: number;
}

/** Begins the names of all tools of MCP servers, and of no other tool: `mcp_SERVER_TOOL`. */
export const MCP_PREFIX = 'mcp_';

/** Not `read`: such calls run before they are recorded, and nobody knows what a server does. */
const RISKS = ['write', 'execute', 'network', 'spend'] as const;
export type McpRisk = (typeof RISKS)[number];

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const VARIABLE_RULE = 'the name of an environment variable';
/** Without underscores: mcp_SERVER_TOOL tells which server a tool belongs to. */
const SERVER = matching(/^[a-z0-9][a-z0-9-]{0,19}$/, 'a name of a-z, 0-9 and -, at most 20 characters');
const HEADER = matching(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header');
const TOOL = /^[\x21-\x7e]{1,128}$/;

/** `[faculty.mcp.NAME]`. */
export const mcpTables = tableOf(
  SERVER,
  table({
    command: text('a program (its arguments go into args)').optional(),
    args: argumentList().default([]),
    env: textsMatching(VARIABLE, VARIABLE_RULE, 'a list of names of environment variables', 100).default([]),
    url: httpUrl().optional(),
    headers: tableOf(HEADER, matching(VARIABLE, VARIABLE_RULE)).prefault({}),
    tools: textsMatching(TOOL, 'the name of a tool', 'a list of names of the server\'s tools, or ["*"]', 200),
    idempotent: textsMatching(TOOL, 'the name of a tool', 'a list of names of tools', 200).default([]),
    risk: oneOf(RISKS).optional(),
    start_timeout_seconds: seconds(1, 600).default(30),
  }),
);
