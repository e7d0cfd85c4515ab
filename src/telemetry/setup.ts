/** Starts the OpenTelemetry SDK only if one of its standard environment variables enables it. */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import type { Log } from './log.ts';
import { silentLog } from './silent-log.ts';

/** The running SDK, if enabled. */
export interface Telemetry {
  /** False when no variable enabled it; then nothing was loaded. */
  readonly enabled: boolean;
  /** Exports what is buffered, for at most `deadlineMs` (default 3,000), and stops. Never rejects. Idempotent. */
  shutdown(deadlineMs?: number): Promise<void>;
}

export interface TelemetryOptions {
  /** `service.version` of the resource. */
  readonly version: string;
  /** Gets a warning about failed exports, at most once in ten minutes. */
  readonly log?: Log;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the standard variables: OTEL_EXPORTER_OTLP_ENDPOINT (or one per signal) turns traces, metrics and logs on;
 * OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER and OTEL_LOGS_EXPORTER choose per signal; OTEL_SDK_DISABLED=true turns
 * everything off. An unreachable collector costs a bounded queue in memory and one warning in ten minutes.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const exporters = wantedExporters(options.env ?? process.env);
  if (!exporters) return { enabled: false, shutdown: async () => {} };
  diag.setLogger(diagnostics(options.log ?? silentLog), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  // The SDK reads the environment of the process. While it does, the defaults of disabled signals are overridden.
  const resource = [`service.version=${options.version}`, process.env['OTEL_RESOURCE_ATTRIBUTES']]
    .filter(Boolean)
    .join(',');
  const service = process.env['OTEL_SERVICE_NAME'] || 'animus';
  const variables = { OTEL_SERVICE_NAME: service, OTEL_RESOURCE_ATTRIBUTES: resource, ...exporters };
  const sdk = withEnvironment(variables, () => {
    const made = new NodeSDK();
    made.start();
    return made;
  });
  let stopped: Promise<void> | undefined;
  return { enabled: true, shutdown: (deadlineMs = 3_000) => (stopped ??= within(deadlineMs, sdk.shutdown())) };
}

const SIGNALS = ['TRACES', 'METRICS', 'LOGS'] as const;

/** OTEL_*_EXPORTER for each signal, or null when all are off. */
function wantedExporters(env: Readonly<Record<string, string | undefined>>): Record<string, string> | null {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null;
  const entries = SIGNALS.map((signal) => {
    const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
    return [`OTEL_${signal}_EXPORTER`, env[`OTEL_${signal}_EXPORTER`] || (endpoint ? 'otlp' : 'none')] as const;
  });
  return entries.every(([, exporter]) => exporter === 'none') ? null : Object.fromEntries(entries);
}

function withEnvironment<T>(variables: Readonly<Record<string, string>>, work: () => T): T {
  const before = Object.keys(variables).map((key) => [key, process.env[key]] as const);
  Object.assign(process.env, variables);
  try {
    return work();
  } finally {
    for (const [key, value] of before) {
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    }
  }
}

/** At most one line in ten minutes, because exporters report every failed batch. */
const QUIET_MS = 600_000;

function diagnostics(log: Log) {
  let quietUntil = 0;
  const tell = (text: string, ...rest: unknown[]): void => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    log.warn(
      { detail: [text, ...rest].map(String).join(' ').slice(0, 500) },
      'telemetry export failed; work continues without it',
    );
  };
  return { error: tell, warn: tell, info: drop, debug: drop, verbose: drop };
}

function drop(): void {}

async function within(deadlineMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, deadlineMs)));
  // The diagnostics have reported a failed last export already.
  await Promise.race([work.catch((error: unknown) => diag.error(String(error))), deadline]);
  clearTimeout(timer);
}
