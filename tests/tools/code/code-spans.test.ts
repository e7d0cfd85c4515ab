import { expect, test, vi } from 'vitest';
import { startTelemetry } from '../../../src/telemetry/setup.ts';
import { executeCodeTool } from '../../../src/tools/code/execute-code.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { engage } from '../../support/run-loop.ts';
import { fakeSandbox } from './fake-sandbox.ts';

const pg = testDatabase();

test('calls of code are spans below execute_code, also where they arrive on a stream of another context', async () => {
  const receiver = await startOtlpReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.endpoint);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  const telemetry = await startTelemetry({ version: '1.2.3' });
  const arrived = Promise.withResolvers<() => void>();
  const stream = arrived.promise.then((makeCall) => makeCall());

  const sandbox = fakeSandbox(async (call) => {
    const made = Promise.withResolvers<unknown>();
    arrived.resolve(() => made.resolve(Promise.all([call('act'), call('nothing')])));
    await made.promise;
    return { ended: 'raised', traceback: 'ValueError' };
  });
  const settings = { timeoutSeconds: 60, image: null, memoryMib: 512, cpus: 1, mountsWorkspace: false };
  const script = `[[answer]]\nturn = 1\ncall = [{ tool = "execute_code", input = { code = "1" } }]\n[[answer]]\nturn = 2\ntext = "done"`;
  const tools = [executeCodeTool(settings, () => sandbox), testTool('act', async () => ({ content: 'acted' }))];
  const focus = await startTestFocus(pg.database, { script, tools });
  await engage(focus.means());
  await stream;
  await telemetry.shutdown();
  vi.unstubAllEnvs();
  await receiver.close();

  const named = (name: string) => receiver.spans.filter((span) => span.name === name);
  const [tool] = named('execute_tool execute_code');
  const [code] = named('execute_code');
  expect(code).toMatchObject({
    parentSpanId: tool!.spanId,
    attributes: { 'work.sandbox.ended': 'raised', 'work.sandbox.tool_calls': 2 },
  });
  const nameOf = (span: (typeof receiver.spans)[number]) => String(span.attributes['gen_ai.tool.name']);
  const calls = named('sandbox.tool.call').toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  expect(calls).toMatchObject([
    { parentSpanId: code!.spanId, attributes: { 'gen_ai.tool.name': 'act', 'work.tool.is_error': false } },
    { parentSpanId: code!.spanId, attributes: { 'gen_ai.tool.name': 'nothing', 'work.tool.is_error': true } },
  ]);
});
