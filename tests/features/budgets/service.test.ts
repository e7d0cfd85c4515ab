import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createSpendRollUp } from '../../../src/features/budgets/service.ts';
import { startTelemetry, type Telemetry } from '../../../src/telemetry/setup.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
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

test('the counters are what the spend says, also after a request turned out not to be lost', async () => {
  const clock = { ...systemClock, sleep: () => new Promise<void>((done) => void setImmediate(done)) };
  const rollUp = createSpendRollUp({ db: pg.database, clock, log: silentLog });
  await rollUp.start();
  for (const [usd, lost, calls] of [
    [0.00000045, 0, 1],
    [0, 0.5, 0],
    [0.25, -0.5, 1],
    [0, 0.75, 0],
  ]) {
    await pg.database.query(
      `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, calls, estimated, lost_usd, lost_requests)
       values ('clerk', 'p/m', '2026-05-01', $1, 0, 0, $3, true, $2::numeric, sign($2::numeric))`,
      [usd, lost, calls],
    );
    await eventually('nothing is left to add up', async () => {
      const left = await pg.database.query('select from animus.spend_calls');
      return left.length === 0 ? true : null;
    });
  }
  await rollUp.stop();
  await telemetry.shutdown();
  const value = (name: string) =>
    receiver.metrics
      .filter((metric) => metric.name === name)
      .flatMap((metric) => metric.points)
      .at(-1)?.value;
  expect(value('work.budget.spent')).toBeCloseTo(0.25000045, 12);
  expect(value('work.budget.estimated')).toBeCloseTo(0.25000045, 12);
  expect(value('work.budget.lost')).toBeCloseTo(0.75, 12);
});
