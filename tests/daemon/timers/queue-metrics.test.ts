import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { measure } from '../../../src/daemon/timers/queue-metrics.ts';
import { startTelemetry, type Telemetry } from '../../../src/telemetry/setup.ts';
import { testDatabase } from '../../support/database.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/otlp-receiver.ts';

const pg = testDatabase();
let receiver: OtlpReceiver;
let telemetry: Telemetry;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', `${receiver.endpoint}/v1/metrics`);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  telemetry = await startTelemetry({ version: '1.2.3' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receiver.close();
});

test('the gauges show queued work by faculty, and 0 when there is none', async () => {
  await pg.database.query(`insert into animus.work_items (faculty) values ('clerk'), ('clerk'), ('painter')`);
  const known = await measure(pg.database, new Set());
  expect(known).toEqual(new Set(['clerk', 'painter']));
  await pg.database.query(
    `select animus.cancel_work(id, 'not needed') from animus.work_items where faculty = 'painter'`,
  );
  expect(await measure(pg.database, known)).toEqual(new Set(['clerk']));
  await telemetry.shutdown();

  const points = (name: string) =>
    Object.fromEntries(
      receiver.metrics
        .filter((metric) => metric.name === name)
        .flatMap((metric) => metric.points)
        .map((point) => [point.attributes['faculty'], point.value]),
    );
  expect(points('work.queue.depth')).toEqual({ clerk: 2, painter: 0 });
  // No daemon is registered, so nobody serves the faculty.
  expect(points('work.unroutable')).toEqual({ clerk: 2, painter: 0 });
  expect(points('work.queue.oldest_age')).toMatchObject({ painter: 0 });
});
