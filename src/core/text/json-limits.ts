/** The limits of JSON from outside, by where it comes in (docs/security.md). */
import type { JsonLimits } from './json-bounds.ts';

const MIB = 2 ** 20;

/** What to do about an input of a tool beyond a limit. */
export const LESS_INPUT = 'do it in several calls, or put the data into a file and name it';

export const JSON_LIMITS = {
  /** The input of a call of a tool: of a model, of code in the sandbox, and what a hook or a person puts in its place. */
  toolInput: { bytes: 12 * MIB, depth: 200, elements: 10_000, nodes: 20_000 },
  /** The outcome in a final answer. */
  outcome: { bytes: 4 * MIB, depth: 200, elements: 10_000, nodes: 20_000 },
  /** What a hook prints. */
  hookOutput: { bytes: MIB, depth: 200, elements: 10_000, nodes: 20_000 },
  /** The body of a request to the API; the route limits its bytes. */
  httpBody: { bytes: 64 * MIB, depth: 100, elements: 10_000, nodes: 60_000 },
  /** A message of a client over a WebSocket. */
  socketMessage: { bytes: MIB / 4, depth: 4, elements: 100, nodes: 200 },
  /** An event of a provider's stream, its answer in one piece, a line of the results of a batch, an error. */
  providerJson: { bytes: 12 * MIB, depth: 1000, elements: 50_000, nodes: 100_000 },
  /** An answer with embeddings; its numbers come on top of the values: the texts that were asked for, times the dimensions. */
  embeddings: { bytes: 32 * MIB, depth: 1000, elements: 50_000, nodes: 100_000 },
  /** JSON that someone submits: `params` and `trigger_info` of work, `params` of a schedule. The same in migrations/functions/01_limits.sql. */
  submitted: { bytes: MIB, depth: 200, elements: 19_999, nodes: 20_000 },
  /** A faculty, animus.toml: what the daemon reads again when the file changes. */
  tomlFile: { bytes: MIB / 4, depth: 50, elements: 2000, nodes: 5000 },
  /** A message of the runner in the sandbox, around the input of a call. */
  runnerMessage: { bytes: 16 * MIB, depth: 202, elements: 10_000, nodes: 20_010 },
  /** A message of an MCP server, and its list of tools: 900 tools with 60 properties each are 167,000 values. */
  mcpMessage: { bytes: 10 * MIB, depth: 200, elements: 10_000, nodes: 75_000 },
  mcpToolList: { bytes: 10 * MIB, depth: 200, elements: 10_000, nodes: 180_000 },
  /** All that an MCP server says about one tool. */
  mcpTool: { bytes: MIB / 4, depth: 64, elements: 2000, nodes: 10_000 },
  /** The file of a faculty's `outcome_schema`. */
  outcomeSchema: { bytes: MIB / 4, depth: 64, elements: 2000, nodes: 20_000 },
} as const satisfies Readonly<Record<string, JsonLimits>>;
