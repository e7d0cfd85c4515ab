/** What telemetry sees of a request: a span, a metric, a line of the log. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { record } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';

export interface Observed {
  readonly method: string;
  /** The path of the route with its parameters in braces: never the path of the request, which has ids. */
  readonly route: string;
  readonly requestId: string;
  /** W3C traceparent of the client. */
  readonly parent: string | null;
  /** Of the client (`clientAddress`). */
  readonly address: string;
}

/** Runs `answer` in a span. The status of its answer is recorded, whatever it is. */
export async function observed<Answer extends { readonly status: number }>(
  request: Observed,
  { log, clock }: { readonly log: Log; readonly clock: Pick<Clock, 'monotonicMs'> },
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const { method, route, requestId, parent, address } = request;
  const begunMs = clock.monotonicMs();
  const attributes = { 'http.route': route, 'http.request.method': method };
  return span(
    'http.request',
    attributes,
    async (active) => {
      const response = await answer();
      const { status } = response;
      const durationMs = clock.monotonicMs() - begunMs;
      active.set({ 'http.response.status_code': status });
      if (status >= 500) active.fail(String(status));
      record('http.server.request.duration', durationMs / 1000, { method, route, status: String(status) });
      log.debug(
        { request_id: requestId, client: address, method, route, status, duration_ms: Math.round(durationMs) },
        'answered a request',
      );
      return response;
    },
    { parent },
  );
}
