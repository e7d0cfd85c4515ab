/** An act as a tool of the MCP server. */
import type { z } from 'zod';
import type { Schemas } from './schemas.ts';

/** What the tool has that the route has not. */
export interface McpOffer {
  readonly name: string;
  /** For the model of the client. */
  readonly description: string;
  readonly hints: ToolHints;
  /** Keys of the body that the tool does not have. */
  readonly without?: readonly string[];
  /** Keys with other schemas than the route has. */
  readonly instead?: (schemas: Schemas) => z.ZodRawShape;
  /** Values of the body where the client gives none. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** Annotations of the protocol. They help clients to decide when to ask their user; they protect nothing. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  /** It may end, decide or change something that cannot be taken back. */
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Always false: it reaches animus and nothing else. */
  readonly openWorldHint: false;
}

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const ADDS: ToolHints = { ...READS, readOnlyHint: false, idempotentHint: false };
export const DECIDES: ToolHints = { ...ADDS, destructiveHint: true };

/** `instead` of a list: a model reads the whole page, so pages are smaller than those of the API. */
export const smallPage = ({ z }: Schemas) => ({ limit: z.int().min(1).max(50).default(20) });
