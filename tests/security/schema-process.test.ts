/** Promise: a JSON Schema of a stranger does not end the process that asks, and does not outlive it, whatever time and memory it takes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSchemaProcess } from '../../src/schemas/schema-process.ts';
import { eventually } from '../support/eventually.ts';

const MODULE = new URL('../../src/schemas/schema-process.ts', import.meta.url).href;

/** Each level of the input doubles the work. */
const ENDLESS = {
  $ref: '#/$defs/n',
  $defs: { n: { allOf: [{ properties: { a: { $ref: '#/$defs/n' } } }, { properties: { a: { $ref: '#/$defs/n' } } }] } },
};
const deep = (levels: number): unknown => (levels === 0 ? {} : { a: deep(levels - 1) });
/** Four million errors. */
const LARGE = { items: { allOf: Array.from({ length: 400 }, (_, n) => ({ required: [`k${n}`] })) } };

const request = (schema: unknown, value: unknown) => ({
  rules: 'tool' as const,
  schema: JSON.stringify(schema),
  value: JSON.stringify(value),
});

test('a check that takes too long is given up, and the next one is answered', async () => {
  const checks = createSchemaProcess(500);
  const answers = await Promise.all([
    checks.check(request(ENDLESS, deep(60))),
    createSchemaProcess(10_000).check(request({ type: 'string' }, 1)),
  ]);
  expect(answers).toMatchObject([
    { kind: 'exceeded', problem: expect.stringContaining('0.5 s') },
    { kind: 'faults', faults: [{ message: 'must be string' }] },
  ]);
});

test('a check that takes too much memory ends its own process, and the next one is answered', async () => {
  const checks = createSchemaProcess(60_000);
  expect(
    await checks.check(
      request(
        LARGE,
        Array.from({ length: 10_000 }, () => ({})),
      ),
    ),
  ).toMatchObject({
    kind: 'exceeded',
    problem: expect.stringContaining('256 MB'),
  });
  expect(await checks.check(request({ type: 'string' }, 'a'))).toEqual({ kind: 'conforms' });
}, 120_000);

test.runIf(process.platform === 'linux')('a process that ends between two checks is replaced', async () => {
  const { check } = createSchemaProcess(10_000);
  const before = childrenOf(process.pid);
  await check(request({ type: 'string' }, 'a'));
  const [child] = childrenOf(process.pid).filter((pid) => !before.includes(pid));
  process.kill(child!, 'SIGTERM');
  expect(await check(request({ type: 'string' }, 'a'))).toEqual({ kind: 'conforms' });
  expect(childrenOf(process.pid)).toContain(child!);
  process.kill(child!, 'SIGKILL');
  await eventually('it is gone', () => (childrenOf(process.pid).includes(child!) ? null : true));
  expect(await check(request({ type: 'string' }, 'a'))).toEqual({ kind: 'conforms' });
});

test.runIf(process.platform === 'linux')(
  'an endless check ends after whoever asked for it was killed',
  async () => {
    const code = `
    import { createSchemaProcess } from ${JSON.stringify(MODULE)};
    void createSchemaProcess(60_000).check(${JSON.stringify(request(ENDLESS, deep(60)))});`;
    const asker = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
    const ended = once(asker, 'exit');
    const child = await eventually('the process of the schema runs', () => childrenOf(asker.pid!)[0] ?? null);
    await eventually('it is busy', () => (cpuTicksOf(child) > 50 ? true : null));
    asker.kill('SIGKILL');
    await ended;
    await eventually('it is gone', () => (cpuTicksOf(child) === 0 ? true : null));
  },
  120_000,
);

/** Of its main thread, which starts them all. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** The processor time that it has used, in hundredths of a second (proc(5), stat); 0: it has ended. */
function cpuTicksOf(pid: number): number {
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return state === 'Z' ? 0 : Number(fields[10]);
  } catch {
    return 0;
  }
}
