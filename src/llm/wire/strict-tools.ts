/** Which tools of a request are strict: the provider then makes their inputs conform to their schemas. One rule for all wires. */
import type { LlmRequest, ToolSpec } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';
import type { Dialect, JsonSchema } from '../schema/dialect.ts';
import { type SchemaCounts, strictSchema } from '../schema/strict-schema.ts';
import { heldSchema } from './held-schema.ts';

/** A tool as it is sent. */
export interface SentTool extends Omit<ToolSpec, 'inputSchema'> {
  readonly inputSchema: JsonSchema;
  readonly strict: boolean;
}

/** Anthropic refuses more in one request; more than OpenAI's users have in practice. */
const MAX_STRICT = 20;

/**
 * The tools in their order. A tool is strict if the model supports it, the request asks for it, its schema can be written in the
 * dialect, and the counts of the request stay within the dialect's limits: the schema of the answer comes first, then the
 * tools in their order. The others keep their schema as it is. Pure, so that a repeated request is the same.
 */
export function sentTools(request: LlmRequest, model: ModelInfo, dialect: Dialect): readonly SentTool[] {
  if (request.strictTools !== true || !model.strictTools) {
    return request.tools.map((tool) => ({ ...tool, strict: false }));
  }
  const held = heldSchema(request, model);
  const answer = held === null ? null : strictSchema(held.schema, dialect);
  let used: SchemaCounts = answer !== null && 'counts' in answer ? answer.counts : { optional: 0, unions: 0 };
  let strict = 0;
  return request.tools.map((tool) => {
    const written = strictSchema(tool.inputSchema, dialect);
    if ('problem' in written || strict >= MAX_STRICT) return { ...tool, strict: false };
    const sum = { optional: used.optional + written.counts.optional, unions: used.unions + written.counts.unions };
    if (!fits(sum, dialect)) return { ...tool, strict: false };
    used = sum;
    strict += 1;
    return { ...tool, inputSchema: written.schema, strict: true };
  });
}

function fits({ optional, unions }: SchemaCounts, { limits }: Dialect): boolean {
  return optional <= (limits.optional ?? Infinity) && unions <= (limits.unions ?? Infinity);
}
