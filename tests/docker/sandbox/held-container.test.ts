/** Containers by the keeper: streams, programs in them, ends, and nothing left. On a real engine. */
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { catSpec, missingEngine, testHost } from './containers.ts';

const missing = missingEngine();
const never = new AbortController().signal;

describe.skipIf(missing !== null)(`containers${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  const { host, left, stop } = testHost();
  afterEach(async () => expect(await left()).toEqual([]));
  afterAll(stop);

  test('pass on what is written to them, and end with their input', async () => {
    const held = await host.launch(catSpec(), never);
    const output = text(held.stdout);
    const large = 'x'.repeat(3 * 2 ** 20);
    held.stdin.write('first\n');
    held.stdin.end(large);
    expect(await output).toBe(`first\n${large}`);
    expect(await held.exited).toEqual({ ended: 'exited', exitCode: 0, problem: null });
  });

  test('keep their two outputs apart, and block while nobody reads', async () => {
    const command = ['sh', '-c', 'echo to stderr >&2; head -c 50000000 /dev/zero; echo end >&2'];
    const held = await host.launch(catSpec({ command }), never);
    let errors = '';
    held.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
    await eventually('the first words', () => (errors === 'to stderr\n' ? true : null));
    let bytes = 0;
    held.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
    expect((await held.exited).exitCode).toBe(0);
    expect({ bytes, errors }).toEqual({ bytes: 50_000_000, errors: 'to stderr\nend\n' });
  });

  test('run further programs, with input, streams and exit codes of their own', async () => {
    const held = await host.launch(catSpec(), never);
    const program = ['sh', '-c', 'id -u; pwd; echo "$A"; echo wrong >&2; cat; exit 3'];
    const run = held.exec({ command: program, env: { A: 'b' }, workdir: '/tmp', stdin: 'pipe' });
    run.stdin?.end('input');
    const [stdout, stderr, end] = await Promise.all([text(run.stdout), text(run.stderr), run.exited]);
    expect({ stdout, stderr }).toEqual({ stdout: '10001\n/tmp\nb\ninput', stderr: 'wrong\n' });
    expect(end).toMatchObject({ ended: 'exit', exitCode: 3, problem: null });
    const unknown = held.exec({ command: ['no-such-program'], env: {}, workdir: '/work', stdin: 'none' });
    unknown.stderr.resume();
    expect(await unknown.exited).toMatchObject({ ended: 'exit', exitCode: 127 });
    await held.destroy();
    expect((await held.exec({ command: ['id'], env: {}, workdir: '/', stdin: 'none' }).exited).ended).toBe(
      'interrupted',
    );
  });

  test('end a program with its children, also those in a session of their own', async () => {
    const held = await host.launch(catSpec({ init: true }), never);
    const family = ['sh', '-c', 'setsid sh -c "trap : TERM; while :; do sleep 300; done" & sleep 300 & echo up; wait'];
    const run = held.exec({ command: family, env: {}, workdir: '/work', stdin: 'none', timeoutMs: 1500 });
    const [stdout, end] = await Promise.all([text(run.stdout), run.exited]);
    expect({ stdout, ended: end.ended }).toEqual({ stdout: 'up\n', ended: 'timeout' });
    const look = held.exec({
      command: ['sh', '-c', 'cat /proc/[0-9]*/stat'],
      env: {},
      workdir: '/work',
      stdin: 'none',
    });
    look.stderr.resume();
    expect((await text(look.stdout)).match(/\(sleep\) [^Z]/g)).toBe(null);
    await held.destroy();
  });

  test('are gone when they are destroyed, killed with their owner, or aborted while they start', async () => {
    const held = await host.launch(catSpec({ command: ['sh', '-c', 'trap "" TERM; sleep 300'] }), never);
    await held.destroy();
    expect(await held.exited).toMatchObject({ ended: 'destroyed', exitCode: 137 });
    const other = await host.launch(catSpec({ owner: 'other' }), never);
    await host.killAll('other');
    expect((await other.exited).ended).toBe('destroyed');
    const abort = new AbortController();
    const starting = host.launch(catSpec(), abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(starting).rejects.toThrow('cancelled');
    await host.killAll('owner');
  });

  test('that cannot be started say why and what to do', async () => {
    const refused = host.launch(catSpec({ image: 'animus-sandbox:none' }), never);
    await expect(refused).rejects.toMatchObject({ code: 'sandbox.image_missing' });
    await expect(refused).rejects.toThrow('run: animus sandbox build');
    await expect(host.launch(catSpec({ runtime: 'runsc-none' }), never)).rejects.toThrow(
      /must know the runtime runsc-none/,
    );
    await expect(host.launch(catSpec({ user: '0' }), never)).rejects.toThrow('may not run as root');
    await expect(host.launch(catSpec({ command: ['no-such-program'] }), never)).rejects.toMatchObject({
      code: 'sandbox.refused',
    });
  });
});
