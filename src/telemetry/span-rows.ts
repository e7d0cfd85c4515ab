/** The rows of the table of spans, and the attributes that many of them have. */
import type { AttributeName } from './attributes.ts';

/** A span. */
export interface SpanRow {
  readonly description: string;
  /** OpenTelemetry's span kind: `client` calls another system, `server` answers one, `consumer` takes work from a queue. */
  readonly kind: 'internal' | 'client' | 'consumer' | 'server';
  /** The attributes of the span, in addition to `error.type`, which a failure sets. */
  readonly attributes: readonly AttributeName[];
  /** The attribute that follows the name in the span's name, as in `chat claude-sonnet-4-5`. */
  readonly suffix?: AttributeName;
}

/** Which work a span belongs to. */
export const WORK = ['work.id', 'work.faculty', 'work.focus_id'] as const satisfies readonly AttributeName[];

/** Which model is asked. */
export const ASKED = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'] as const;

/** A call of a tool, and what came of it. */
export const TOOL_CALL = [
  'gen_ai.tool.name',
  'gen_ai.tool.call.id',
  'work.turn',
  'work.tool.is_error',
  'work.tool.output_bytes',
] as const;
