import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SETUP = fileURLToPath(new URL('../../src/telemetry/setup.ts', import.meta.url));
const SPANS = fileURLToPath(new URL('../../src/telemetry/spans.ts', import.meta.url));
const LOG = fileURLToPath(new URL('../../src/telemetry/log.ts', import.meta.url));

/** Runs a separate program: the OpenTelemetry API is global to a process and can be registered only once. */
async function run(
  program: string,
  env: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const source = `
    import { startTelemetry } from ${JSON.stringify(SETUP)};
    import { span } from ${JSON.stringify(SPANS)};
    import { openLog } from ${JSON.stringify(LOG)};
    ${program}`;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
    env: { PATH, HOME, ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { ...output, code };
}

test('without a variable nothing is loaded', async () => {
  const { stdout } = await run(`
    const telemetry = await startTelemetry({ version: '1' });
    await telemetry.shutdown();
    const { createRequire } = await import('node:module');
    const loaded = [...Object.keys(createRequire(${JSON.stringify(SETUP)}).cache)];
    console.log(JSON.stringify({ enabled: telemetry.enabled, sdk: process.moduleLoadList.length > 0 && loaded.some((path) => path.includes('sdk-node')) }));`);
  expect(JSON.parse(stdout)).toEqual({ enabled: false, sdk: false });
});

test.each([
  ['OTEL_SDK_DISABLED wins', { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, false],
  ['one signal is enough', { OTEL_TRACES_EXPORTER: 'console' }, true],
  [
    'none means none',
    { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
    false,
  ],
])('%s', async (_, env, enabled) => {
  const { stdout } = await run(
    `const telemetry = await startTelemetry({ version: '1' }); await telemetry.shutdown(); console.log('enabled', telemetry.enabled);`,
    env,
  );
  expect(stdout).toContain(`enabled ${enabled}`);
});

test.each(['refuses', 'never answers'] as const)(
  'a collector that %s neither slows down the work nor floods the log',
  async (how) => {
    const hole = createServer(() => {});
    await new Promise<void>((resolve) => hole.listen(0, '127.0.0.1', resolve));
    const { port } = hole.address() as { port: number };
    if (how === 'refuses') await new Promise((resolve) => hole.close(resolve));
    const { stdout, stderr, code } = await run(
      `
    const telemetry = await startTelemetry({ version: '1', log: openLog({ format: 'json' }) });
    const started = performance.now();
    for (let i = 0; i < 5_000; i++) await span('work.engage', { 'work.id': String(i) }, async () => {});
    const workMs = performance.now() - started;
    const stopping = performance.now();
    await telemetry.shutdown(500);
    console.log(JSON.stringify({ workMs, stopMs: performance.now() - stopping }));
    process.exit(0);`,
      { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '10' },
    );
    hole.close();
    expect(code).toBe(0);
    const { workMs, stopMs } = JSON.parse(stdout) as { workMs: number; stopMs: number };
    expect(workMs).toBeLessThan(5_000);
    expect(stopMs).toBeLessThan(2_000);
    expect(stderr.split('\n').filter(Boolean).length).toBeLessThanOrEqual(1);
  },
);
