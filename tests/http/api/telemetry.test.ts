import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Log } from '../../../src/telemetry/log.ts';
import { startTelemetry } from '../../../src/telemetry/setup.ts';
import { testApi } from '../../support/api.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/otlp-receiver.ts';

const { start, owner } = testApi();
let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(() => receiver.close());

test('a request is a span below the one of the client; its work is below the request', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.endpoint);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  const telemetry = await startTelemetry({ version: '1' });
  const { call } = await start();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { body } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' }, headers: { traceparent } });
  await call('alice', 'GET', `/work/${body.id}`);
  const [row] = await owner().query<{ trace_context: string }>('select trace_context from animus.work_items');
  await telemetry.shutdown();
  vi.unstubAllEnvs();
  const submitted = receiver.spans.find(({ name }) => name === 'http.request /work')!;
  expect(submitted).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    attributes: { 'http.route': '/work', 'http.request.method': 'POST', 'http.response.status_code': 201 },
  });
  expect(row!.trace_context).toBe(`00-${submitted.traceId}-${submitted.spanId}-01`);
  expect(JSON.stringify(receiver.spans)).not.toContain(body.id);
});

test('the log has the request id of what failed unexpectedly, and the client sees nothing else of it', async () => {
  const lines: object[] = [];
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (fields) => void lines.push(fields),
    child: () => log,
  };
  const { API_ROUTES } = await import('../../../src/http/api/api-routes.ts');
  const showWork = API_ROUTES.find((route) => route.id === 'showWork')!;
  const run = () => Promise.reject(new Error('password of postgres://10.0.0.1'));
  const { call } = await start({ log, routes: [{ ...showWork, run } as typeof showWork] });
  const failed = await call('alice', 'GET', '/work/01900000-0000-7000-8000-000000000000');
  const id = failed.headers.get('x-request-id');
  expect(failed).toMatchObject({ status: 500, body: { code: 'internal.bug', detail: expect.stringContaining(id!) } });
  expect(JSON.stringify(failed.body)).not.toMatch(/password|10\.0/);
  expect(lines).toEqual([expect.objectContaining({ request_id: id })]);
});
