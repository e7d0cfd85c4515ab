/** Structured logs: JSON lines on stderr, readable lines if stderr is a terminal, and OTLP if the SDK runs. */
import { logs, SeverityNumber, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from '../core/secrets/secrets.ts';
import { harmlessJsonLine } from '../core/text/harmless.ts';
import { prettyLine } from './log-pretty.ts';

/** The logger of animus: fields first (names as in signals.ts), then a constant message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log whose lines all carry `fields`. */
  child(fields: object): Log;
}

export interface LogOptions {
  /** debug, info, warn, error or silent; default LOG_LEVEL, else info. An unknown level means info. */
  readonly level?: string;
  /** Default: LOG_FORMAT, else `pretty` on a terminal and `json` elsewhere. */
  readonly format?: 'json' | 'pretty';
  /** Where the lines go; default stderr, written synchronously so that the last line before an exit is not lost. */
  readonly destination?: DestinationStream;
}

/** Opens the process's log. Lines carry `trace_id` and `span_id` of the active span; secrets are masked by name and shape. */
export function openLog(options: LogOptions = {}): Log {
  const wanted = (options.level ?? process.env['LOG_LEVEL'] ?? 'info').toLowerCase();
  const level = wanted in SEVERITY || wanted === 'silent' ? wanted : 'info';
  const destination = options.destination ?? stderr();
  const pretty = (options.format ?? defaultFormat()) === 'pretty';
  const lines = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }), log: redacted },
      serializers: { err: (err: unknown) => err },
      mixin: activeTrace,
    },
    { write: (line) => write(line, destination, pretty) },
  );
  return logOver(lines);
}

/** pino does not run its formatters over the fields of a child, so they are redacted here. */
function logOver(lines: Logger): Log {
  return {
    debug: (fields, message) => lines.debug(fields, message),
    info: (fields, message) => lines.info(fields, message),
    warn: (fields, message) => lines.warn(fields, message),
    error: (fields, message) => lines.error(fields, message),
    child: (fields) => logOver(lines.child(redacted(fields))),
  };
}

function redacted(fields: object): Record<string, unknown> {
  return redact(fields) as Record<string, unknown>;
}

function write(line: string, destination: DestinationStream, pretty: boolean): void {
  emitToOtlp(line);
  // JSON does not escape C1 characters and those that reorder text, but logs are also read on terminals.
  destination.write(pretty ? prettyLine(line) : harmlessJsonLine(line));
}

function stderr(): DestinationStream {
  const destination = pino.destination({ dest: 2, sync: true });
  // A closed pipe (`animus serve 2>&1 | head`) must not end the daemon.
  destination.on('error', () => {});
  return destination;
}

function defaultFormat(): 'json' | 'pretty' {
  const set = process.env['LOG_FORMAT'];
  if (set === 'json' || set === 'pretty') return set;
  return process.stderr.isTTY ? 'pretty' : 'json';
}

function activeTrace(): object {
  const active = trace.getActiveSpan()?.spanContext();
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {};
}

const SEVERITY: Readonly<Record<string, SeverityNumber>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** The logger of the API is a no-op until an SDK with logs is registered. `enabled` avoids parsing until then. */
function emitToOtlp(line: string): void {
  const logger = logs.getLogger('animus');
  if (!logger.enabled()) return;
  const { level, time, message, trace_id: _, span_id: __, ...fields } = JSON.parse(line) as Record<string, unknown>;
  logger.emit({
    severityNumber: SEVERITY[String(level)] ?? SeverityNumber.UNSPECIFIED,
    severityText: String(level).toUpperCase(),
    timestamp: new Date(String(time)),
    body: String(message),
    attributes: fields,
  });
}
