import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AnimusError } from '../../src/core/errors/errors.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { count, gauge, record } from '../../src/telemetry/metrics.ts';
import { startTelemetry } from '../../src/telemetry/setup.ts';
import { currentTraceparent, span } from '../../src/telemetry/spans.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

const SUBMITTER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
let receiver: OtlpReceiver;
let traceparents: (string | null)[];

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.endpoint);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  const telemetry = await startTelemetry({ version: '1.2.3' });
  expect(telemetry.enabled).toBe(true);
  traceparents = await oneFocus();
  count('work.ledger.entries', 2, { faculty: 'engineer', entry_type: 'plan' });
  record('work.claim.latency', 12, { faculty: 'engineer' });
  gauge('work.queue.depth', 7, { faculty: 'engineer' });
  await telemetry.shutdown();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receiver.close();
});

/** Emits a small version of what a focus emits; returns the traceparents seen inside and outside. */
async function oneFocus(): Promise<(string | null)[]> {
  const log = openLog({ level: 'info', format: 'json', destination: { write: () => {} } });
  const inside = await span(
    'work.execute',
    { 'work.id': 'w1', 'work.faculty': 'engineer', 'work.attempt': 0 },
    async (focus) => {
      log.info({ 'work.id': 'w1', password: 'hunter2' }, 'focus started');
      await span('work.engage', { 'work.id': 'w1' }, async () => {
        const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'claude-sonnet-4-5' };
        await span('chat', attributes, async (chat) => {
          chat.set({
            'gen_ai.usage.input_tokens': 9,
            'gen_ai.response.finish_reasons': ['tool_use'],
            'gen_ai.response.id': null,
          });
        });
        await Promise.all(
          ['bash', 'read_file'].map((tool) =>
            span(
              'execute_tool',
              { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool },
              async (call) => {
                if (tool === 'bash') call.fail('timeout');
                // Longer than the clock of spans needs to tell two times apart.
                await new Promise((resolve) => setTimeout(resolve, 20));
              },
            ),
          ),
        );
      });
      await span('work.consolidate', {}, async () => {
        throw new AnimusError('hook.failed', { command: 'verify', detail: 'the content of a file' });
      }).catch(() => {});
      return [currentTraceparent(), focus.traceparent];
    },
    { root: true, links: [SUBMITTER, 'nonsense', null] },
  );
  await span('work.recover', {}, async () => {}, { parent: SUBMITTER });
  return [...inside, currentTraceparent()];
}

function spanNamed(name: string) {
  const found = receiver.spans.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no span ${name} among ${receiver.spans.map((each) => each.name).join(', ')}`);
  return found;
}

test('spans arrive, each under its parent, in one trace', () => {
  const root = spanNamed('work.execute');
  const engage = spanNamed('work.engage');
  expect(root.parentSpanId ?? '').toBe('');
  expect(engage.parentSpanId).toBe(root.spanId);
  for (const name of ['chat claude-sonnet-4-5', 'execute_tool bash', 'execute_tool read_file']) {
    expect(spanNamed(name).parentSpanId).toBe(engage.spanId);
    expect(spanNamed(name).traceId).toBe(root.traceId);
  }
});

test('parallel tool calls overlap', () => {
  const [a, b] = [spanNamed('execute_tool bash'), spanNamed('execute_tool read_file')];
  expect(BigInt(a.startTimeUnixNano) < BigInt(b.endTimeUnixNano)).toBe(true);
  expect(BigInt(b.startTimeUnixNano) < BigInt(a.endTimeUnixNano)).toBe(true);
});

test('the root is linked to the submitter, and a stored traceparent can be the parent', () => {
  const [, traceId, spanId] = SUBMITTER.split('-');
  expect(spanNamed('work.execute').links).toEqual([expect.objectContaining({ traceId, spanId })]);
  expect(spanNamed('work.execute').traceId).not.toBe(traceId);
  expect(spanNamed('work.recover')).toMatchObject({ traceId, parentSpanId: spanId });
});

test('the current traceparent is that of the active span, and none outside', () => {
  const { traceId, spanId } = spanNamed('work.execute');
  expect(traceparents).toEqual([`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`, null]);
});

test('attributes are typed values, null ones are left out, and a chat is a client span', () => {
  const chat = spanNamed('chat claude-sonnet-4-5');
  expect(chat.kind).toBe(3);
  expect(chat.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'gen_ai.usage.input_tokens': 9,
    'gen_ai.response.finish_reasons': ['tool_use'],
  });
});

test('failures carry a code and never a message', () => {
  expect(spanNamed('execute_tool bash')).toMatchObject({ status: { code: 2, message: 'timeout' } });
  const failed = spanNamed('work.consolidate');
  expect(failed).toMatchObject({
    status: { code: 2, message: 'hook.failed' },
    attributes: { 'error.type': 'hook.failed' },
  });
  expect(JSON.stringify(failed)).not.toContain('the content of a file');
});

test('metrics arrive with units and labels', () => {
  const byName = new Map(receiver.metrics.map((metric) => [metric.name, metric]));
  expect(byName.get('work.ledger.entries')).toMatchObject({
    unit: '{entry}',
    points: [{ value: 2, attributes: { faculty: 'engineer', entry_type: 'plan' } }],
  });
  expect(byName.get('work.claim.latency')).toMatchObject({ unit: 'ms', points: [{ count: 1, sum: 12 }] });
  expect(byName.get('work.queue.depth')).toMatchObject({ points: [{ value: 7 }] });
});

test('log lines arrive with the trace they belong to, and without secrets', () => {
  const { traceId } = spanNamed('work.execute');
  expect(receiver.logs).toEqual([
    { body: 'focus started', severity: 'INFO', traceId, attributes: { 'work.id': 'w1', password: '[secret]' } },
  ]);
});

test('the resource names the service and its version', () => {
  expect(receiver.resources[0]).toMatchObject({ 'service.name': 'animus', 'service.version': '1.2.3' });
});
