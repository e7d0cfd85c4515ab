/** A tool that the MCP server offers: what a client can do with a token. */
import type { z } from 'zod';
import type { Scope } from '../../core/work/people.ts';
import type { ToolHints } from '../../operations/mcp-offer.ts';
import type { Visit } from '../route/route.ts';

/** Says that a call goes on: a short text in our own words. */
export type ReportProgress = (text: string) => void;

export interface McpTool {
  readonly name: string;
  /** For the model of the client. */
  readonly description: string;
  /** The route of the API that it is: its method and path. Null: none does the same. */
  readonly route: string | null;
  /** The scope that the token must have. */
  readonly scope: Scope;
  readonly hints: ToolHints;
  readonly input: z.ZodObject;
  /** Returns what becomes JSON. Errors: those of the table, for the client as `publicError` shows them. */
  readonly run: (visit: Visit, input: Readonly<Record<string, unknown>>, report: ReportProgress) => Promise<unknown>;
}
