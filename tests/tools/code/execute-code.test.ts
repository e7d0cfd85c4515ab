/** execute_code on a sandbox without containers: what the model reads, and what is kept. */
import { describe, expect, it } from 'vitest';
import { createSight } from '../../../src/engage/calls/sight.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { readArtifacts } from '../../../src/store/views/artifact-views.ts';
import { executeCodeTool } from '../../../src/tools/code/execute-code.ts';
import type { ToolOutput } from '../../../src/tools/tool.ts';
import { resultOf } from '../../engage/calls/code-focus.ts';
import { takeOver } from '../../engage/focus-calls.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus, testTool } from '../../support/focus.ts';
import { png } from '../../support/media-files.ts';
import { engage } from '../../support/run-loop.ts';
import { type FakeCode, fakeSandbox } from './fake-sandbox.ts';

const pg = testDatabase();
const SETTINGS = { timeoutSeconds: 60, image: null, memoryMib: 512, cpus: 1, mountsWorkspace: false } as const;

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "execute_code", input = { code = "return 1", timeout_seconds = 90 } }]
[[answer]]
turn = 2
text = "done"
`;

function focusOn(sandbox: Sandbox | null, settings = SETTINGS): Promise<TestFocus> {
  const tools = [
    executeCodeTool(settings, () => sandbox),
    testTool('act', async ({ n }) => ({ content: `acted ${n as number}` })),
  ];
  return startTestFocus(pg.database, { script: SCRIPT, tools });
}

/** Runs the code and returns the result of the call. */
async function resultOfCode(code: FakeCode) {
  const focus = await focusOn(fakeSandbox(code));
  expect(await engage(focus.means())).toMatchObject({ kind: 'done' });
  return resultOf(pg.database, focus);
}

describe('execute_code', () => {
  it('gives code the scripts of the active skills', async () => {
    let given: unknown;
    const focus = await focusOn(
      fakeSandbox(async (_call, { skills }) => {
        given = skills;
        return { value: '1' };
      }),
    );
    const scripts = [{ name: 'debugging', files: { 'shrink.py': 'def shrink(x): return x' } }];
    const means = focus.means();
    const skills = { maxTokens: 0, mountsFor: async () => [], scripts: async () => scripts };
    expect(await engage({ ...means, callScope: { ...means.callScope, skills } })).toMatchObject({ kind: 'done' });
    expect(given).toEqual(scripts);
  });

  it('runs within the limits of the faculty, with the other tools as functions', async () => {
    let given: unknown;
    const { output } = await resultOfCode(async (call, { tools, ...spec }) => {
      given = { ...spec, tools: tools.map(({ name }) => name) };
      const { content, isError } = await call('act', { n: 1 });
      return { value: JSON.stringify([content, isError]) };
    });
    expect(given).toMatchObject({
      code: 'return 1',
      timeoutMs: 60_000,
      image: '',
      memoryBytes: 512 * 1024 * 1024,
      cpus: 1,
      skills: [],
    });
    expect(given).toMatchObject({ tools: ['ledger_append', 'ledger_read', 'act'] });
    expect(given).not.toHaveProperty('workspaceMount');
    expect(output).toBe('returned ["acted 1",false]');
  });

  it('mounts the workspace where the faculty asks for it', async () => {
    let mounted: string | undefined;
    const sandbox = fakeSandbox(async (_call, { workspaceMount }) => {
      mounted = workspaceMount;
      return {};
    });
    const focus = await focusOn(sandbox, { ...SETTINGS, mountsWorkspace: true } as never);
    await engage(focus.means());
    expect(mounted).toBe('/tmp');
  });

  it('tells what the code returned and printed, and what was lost of it', async () => {
    const stdout = { text: 'a\n[…]\nz\n', bytes: 100_000 };
    const { output } = await resultOfCode(async () => ({ value: '{"a": 1}', note: 'a date became text', stdout }));
    expect(output).toBe(
      'returned {"a": 1}\n[a date became text]\nstdout (100000 bytes, the middle left out):\na\n[…]\nz',
    );
    expect((await resultOfCode(async () => ({}))).output).toBe('returned nothing');
  });

  it.each([
    [
      { ended: 'raised', traceback: 'Traceback:\n  line 3\nValueError: no\n' },
      'the code raised an exception:\nTraceback:\n  line 3\nValueError: no\nbefore that, it made these calls: act 2 times (1 of them not done)',
    ],
    [{ ended: 'timeout' }, 'the code did not end within 60 s and was stopped\nbefore that'],
    [
      { ended: 'limit', problem: 'it used more than 512 MiB' },
      'the code was stopped at a limit: it used more than 512 MiB\nbefore that',
    ],
    [
      { ended: 'killed', problem: 'the engine went away' },
      'the code was stopped from outside: the engine went away\nbefore that',
    ],
  ] as const)('that did not come to its end is an error, and says what it had called: %j', async (execution, said) => {
    const { output, is_error } = await resultOfCode(async (call) => {
      await call('act', { n: 1 });
      await call('nothing');
      await call('act', []);
      return execution;
    });
    expect(output).toContain(said);
    expect(output).toContain('act 2 times (1 of them not done), nothing once (1 of them not done)');
    expect(is_error).toBe(true);
  });

  it('says what to do where it cannot run, and the work goes on', async () => {
    const problem = 'no Docker engine answers at /var/run/docker.sock; start one';
    const { output } = await resultOfCode(async () => ({ ended: 'unavailable', problem }));
    expect(output).toBe(`the code did not run: ${problem}. Go on without execute_code: call the tools directly.`);
    const focus = await focusOn(null);
    expect(await engage(focus.means())).toMatchObject({ kind: 'done' });
    expect((await resultOf(pg.database, focus)).output).toContain('this process of animus has no sandbox');
  });

  it('keeps the files that the code leaves, and says which it did not keep', async () => {
    const files = [
      { name: 'report.csv', bytes: Buffer.from('a,b\n') },
      { name: 'big.bin', bytes: Buffer.alloc(10_485_761) },
    ];
    const focus = await focusOn(fakeSandbox(async () => ({ value: '1', files })));
    await engage(focus.means());
    const [kept, ...others] = await readArtifacts(pg.database, focus.key.workItemId);
    expect(others).toEqual([]);
    expect((await resultOf(pg.database, focus)).output).toBe(
      `returned 1\nfile "report.csv" (4 bytes) is kept as artifact ${kept!.id}\nfile "big.bin" was not kept: it has 10485761 bytes; at most 10485760 (10 MiB) are kept`,
    );
  });

  it('shows the model the pictures that the code leaves, and keeps none twice', async () => {
    const files = [
      { name: 'chart.png', bytes: png(40, 30) },
      { name: 'data.csv', bytes: Buffer.from('a,b') },
    ];
    const focus = await focusOn(fakeSandbox(async () => ({ value: '1', files })));
    const eyes = { unseen: () => ({ by: [], byAll: false }), tokens: () => 10 };
    const room = { files: 20, bytes: 1_000_000, tokens: 1000 };
    expect(await engage({ ...focus.means(), sight: createSight(eyes, room) })).toMatchObject({ kind: 'done' });
    const [chart, csv, ...others] = await readArtifacts(pg.database, focus.key.workItemId);
    expect([chart!.name, csv!.name, others]).toEqual(['chart.png', 'data.csv', []]);
    const { output } = await resultOf(pg.database, focus);
    const [call] = await pg.database.query<{ details: object }>(
      'select details from animus.tool_calls where focus_id = $1',
      [focus.key.focusId],
    );
    expect(output).toContain(`"chart.png" follows (artifact ${chart!.id}); what it shows is data.`);
    const shown = {
      artifact: chart!.id,
      name: 'chart.png',
      media_type: 'image/png',
      bytes: png(40, 30).length,
      tokens: 10,
    };
    expect(call!.details).toMatchObject({ files: 2, shown: [shown] });
  });

  it('ends with the lease: nothing is recorded, and the focus is lost', async () => {
    let stopped = false;
    const focus = await focusOn(
      fakeSandbox(async (call, _spec, signal) => {
        await takeOver(pg.database, focus);
        await call('act');
        stopped = signal.aborted;
        return { value: '1' };
      }),
    );
    await expect(engage(focus.means())).rejects.toMatchObject({ code: 'work.lease_lost' });
    expect(stopped).toBe(true);
    expect(await resultOf(pg.database, focus)).toMatchObject({ state: 'started', output: null });
  });

  it('names calls that the end of the code stopped', async () => {
    const started = Promise.withResolvers<void>();
    const hang = testTool('hang', () => {
      started.resolve();
      return new Promise<ToolOutput>(() => {});
    });
    const sandbox = fakeSandbox(async (call) => {
      void call('hang');
      await started.promise;
      return { value: '1' };
    });
    const tools = [executeCodeTool(SETTINGS, () => sandbox), hang];
    const focus = await startTestFocus(pg.database, { script: SCRIPT, tools });
    await engage(focus.means());
    expect((await resultOf(pg.database, focus)).output).toBe(
      'returned 1\ncalls that were stopped and may or may not have happened; check before you repeat them: hang (call 1)',
    );
  });
});
