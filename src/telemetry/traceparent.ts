/** The W3C `traceparent` (Trace Context, level 1), which carries a trace across tables, hooks and processes. */
import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

/** Parses a traceparent of this or a later version; null for anything else, as the specification requires. */
export function parseTraceparent(text: string | null | undefined): SpanContext | null {
  const parsed = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text?.trim() ?? '');
  if (!parsed || parsed[1] === 'ff' || (parsed[1] === '00' && parsed[5] !== undefined)) return null;
  const found = {
    traceId: parsed[2] as string,
    spanId: parsed[3] as string,
    traceFlags: Number.parseInt(parsed[4] as string, 16) & 1,
    isRemote: true,
  };
  return isSpanContextValid(found) ? found : null;
}

/** Formats a traceparent; null without a span, or for the invalid span of an absent SDK. */
export function traceparentOf(span: SpanContext | undefined): string | null {
  if (!span || !isSpanContextValid(span)) return null;
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 1).toString(16).padStart(2, '0')}`;
}
