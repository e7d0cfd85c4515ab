/** The tools of MCP servers as they were pinned: what a faculty may call. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';

/** A tool of a server, as the model sees it and as it was when it was pinned. */
export interface McpTool {
  /** At the server. */
  readonly name: string;
  /** Of the server, cut to a limit. */
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** SHA-256 of the whole definition, hexadecimal. */
  readonly definitionHash: string;
}

/** A pinned tool. */
export interface McpPin extends McpTool {
  readonly server: string;
  readonly pinnedBy: string;
  readonly pinnedAt: Date;
  /** Why daemons refuse its calls; null if they do not. */
  readonly problem: string | null;
}

/** All pins of a faculty, by server and name. */
export async function readMcpPins(db: Queryable, faculty: string): Promise<readonly McpPin[]> {
  return db.query<McpPin>(
    `select server, tool as name, description, input_schema as "inputSchema", definition_hash as "definitionHash",
            pinned_by as "pinnedBy", pinned_at as "pinnedAt", problem
       from animus.mcp_pins where faculty = $1 order by server, tool`,
    [faculty],
  );
}

/** Pins exactly these tools of a server. For operators; adds a row to animus.decisions. */
export async function pinMcpTools(
  db: Queryable,
  faculty: string,
  server: string,
  tools: readonly McpTool[],
): Promise<void> {
  const rows = tools.map(({ name, description, inputSchema, definitionHash }) => ({
    name,
    description,
    // As text: it is kept with the order of its keys.
    input_schema: toJsonb(inputSchema),
    definition_hash: definitionHash,
  }));
  await db.query('select animus.pin_mcp_tools($1, $2, $3::jsonb)', [faculty, server, toJsonb(rows)]);
}

/** Records why calls of a pinned tool are refused; null: no longer. */
export async function reportMcpTool(
  db: Queryable,
  faculty: string,
  { server, name, definitionHash }: Pick<McpPin, 'server' | 'name' | 'definitionHash'>,
  problem: string | null,
): Promise<void> {
  await db.query('select animus.report_mcp_tool($1, $2, $3, $4, $5)', [
    faculty,
    server,
    name,
    definitionHash,
    toText(problem),
  ]);
}
