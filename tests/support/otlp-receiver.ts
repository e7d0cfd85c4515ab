/** A minimal collector: receives OTLP as JSON over HTTP and stores it. */
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values?: Value[] };
};
type Attribute = { key: string; value: Value };

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Record<string, unknown>;
  readonly links: { traceId: string; spanId: string }[];
  readonly status: { code?: number; message?: string };
  readonly events?: unknown[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly points: { attributes: Record<string, unknown>; value?: number; count?: number; sum?: number }[];
}

export interface ReceivedLog {
  readonly body: string;
  readonly severity: string;
  readonly traceId?: string;
  readonly attributes: Record<string, unknown>;
}

export interface OtlpReceiver {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: ReceivedMetric[];
  readonly logs: ReceivedLog[];
  readonly resources: Record<string, unknown>[];
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: Omit<OtlpReceiver, 'endpoint' | 'close'> = { spans: [], metrics: [], logs: [], resources: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const body = JSON.parse((request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString());
      keep(received, body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    ...received,
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- the wire format, read where it is known
function keep(received: Omit<OtlpReceiver, 'endpoint' | 'close'>, body: any): void {
  for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
    received.resources.push(plain(resource.attributes));
    for (const { spans } of scopeSpans) {
      for (const span of spans)
        received.spans.push({ ...span, links: span.links ?? [], attributes: plain(span.attributes) });
    }
  }
  for (const { scopeMetrics } of body.resourceMetrics ?? []) {
    for (const metric of scopeMetrics.flatMap((scope: { metrics: unknown[] }) => scope.metrics)) {
      const { dataPoints } = metric.sum ?? metric.gauge ?? metric.histogram;
      const points = dataPoints.map(
        (point: { attributes: Attribute[]; asInt?: number | string; asDouble?: number }) => ({
          ...point,
          value: Number(point.asInt ?? point.asDouble),
          attributes: plain(point.attributes),
        }),
      );
      received.metrics.push({ name: metric.name, unit: metric.unit, points });
    }
  }
  for (const { scopeLogs } of body.resourceLogs ?? []) {
    for (const log of scopeLogs.flatMap((scope: { logRecords: unknown[] }) => scope.logRecords)) {
      const attributes = plain(log.attributes ?? []);
      received.logs.push({ body: log.body.stringValue, severity: log.severityText, traceId: log.traceId, attributes });
    }
  }
}

function plain(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, unwrap(value)]));
}

function unwrap(value: Value): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(unwrap);
  const { intValue } = value;
  return value.stringValue ?? (intValue === undefined ? (value.doubleValue ?? value.boolValue) : Number(intValue));
}
