/** Spans, typed by the table of signals. Without an SDK everything here is a no-op. */
import {
  type Attributes,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isAnimusError } from '../core/errors/errors.ts';
import { SPANS, type SpanAttributes, type SpanName } from './signals.ts';
import type { SpanRow } from './span-rows.ts';
import { parseTraceparent, traceparentOf } from './traceparent.ts';

/** A running span, passed to the function it measures. */
export interface ActiveSpan<Name extends SpanName> {
  set(attributes: SpanAttributes<Name>): void;
  /** Marks a failure that is a value and not thrown; `type` is a code or kind, never a message. */
  fail(type: string): void;
  /** W3C traceparent of this span, for children elsewhere; null without an SDK. */
  readonly traceparent: string | null;
}

export interface SpanOptions {
  /** Starts a new trace instead of a child of the active span. */
  readonly root?: boolean;
  /** The stored traceparent of the parent; an invalid one is ignored. */
  readonly parent?: string | null;
  /** Stored traceparents of spans that caused this one without being its parent. */
  readonly links?: readonly (string | null | undefined)[];
}

/**
 * Runs `work` inside a span, which ends when it settles. An error marks the span as failed by its code (never by its
 * message, which may hold content) and is thrown again.
 */
export async function span<Name extends SpanName, T>(
  name: Name,
  attributes: SpanAttributes<Name>,
  work: (span: ActiveSpan<Name>) => Promise<T>,
  options: SpanOptions = {},
): Promise<T> {
  const parent = parentContext(options);
  const started = tracer().startSpan(
    spanName(name, attributes),
    {
      kind: KINDS[SPANS[name].kind],
      attributes: present(attributes),
      links: linksOf(options),
      root: options.root ?? false,
    },
    parent,
  );
  try {
    return await context.with(trace.setSpan(parent, started), () => work(activeSpan(started)));
  } catch (error) {
    markFailed(started, failureType(error));
    throw error;
  } finally {
    started.end();
  }
}

// Keyed by provider: a new SDK is another provider. Asking for it each time was 3 % of the processor time of a turn.
const tracers = new WeakMap<object, Tracer>();

function tracer(): Tracer {
  const provider = trace.getTracerProvider();
  let found = tracers.get(provider);
  if (!found) tracers.set(provider, (found = provider.getTracer('animus')));
  return found;
}

/** The traceparent of the active span, to store with the work it causes; null if there is none. */
export function currentTraceparent(): string | null {
  return traceparentOf(trace.getActiveSpan()?.spanContext());
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  server: SpanKind.SERVER,
} as const;

function parentContext({ parent, root }: SpanOptions) {
  if (root) return ROOT_CONTEXT;
  const remote = parseTraceparent(parent);
  return remote ? trace.setSpanContext(context.active(), remote) : context.active();
}

function linksOf({ links = [] }: SpanOptions) {
  return links
    .map(parseTraceparent)
    .filter((found) => found !== null)
    .map((found) => ({ context: found }));
}

function spanName<Name extends SpanName>(name: Name, attributes: SpanAttributes<Name>): string {
  const row: SpanRow = SPANS[name];
  const suffix = row.suffix && (attributes as Record<string, unknown>)[row.suffix];
  return typeof suffix === 'string' ? `${name} ${suffix}` : name;
}

function activeSpan<Name extends SpanName>(started: Span): ActiveSpan<Name> {
  return {
    set: (attributes) => void started.setAttributes(present(attributes)),
    fail: (type) => markFailed(started, type),
    traceparent: traceparentOf(started.spanContext()),
  };
}

function markFailed(started: Span, type: string): void {
  started.setAttribute('error.type', type);
  started.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

function failureType(error: unknown): string {
  if (isAnimusError(error)) return error.code;
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'unknown';
}

function present(attributes: object): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined));
}
