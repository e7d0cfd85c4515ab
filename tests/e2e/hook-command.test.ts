import { randomUUID } from 'node:crypto';
import { chmod, chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookPhase } from '../../src/daemon/hooks/hook-output.ts';
import { hookScript } from '../daemon/hooks/hook-script.ts';
import { isolationModes } from '../process/isolation-modes.ts';
import { processesWith } from '../process/live-processes.ts';

const EXAMPLES = new URL('../../docs/examples/hooks/', import.meta.url).pathname;

test('gets one JSON object on stdin and its environment, and nothing else from the daemon', async () => {
  process.env['ANIMUS_TEST_SECRET'] = 'geheim';
  const { run } = await hookScript('#!/bin/sh\nprintf "{\\"context\\": \\"$(cat | tr -d \'"{}\\n\' )\\"}"; env >&2');
  const result = await run('orient', {
    environment: { ALLOWED: 'yes', ANIMUS_FACULTY: 'forged' },
    traceparent: '00-ab-cd-01',
  });
  delete process.env['ANIMUS_TEST_SECRET'];
  expect(result).toMatchObject({
    kind: 'output',
    output: { context: 'work_item:id:w,readers:[],faculty:name:f,ledger:[]' },
  });
  const environment = result.kind === 'output' ? result.stderr.split('\n') : [];
  expect(environment).toEqual(
    expect.arrayContaining([
      'ANIMUS_WORK_ID=work-1',
      'ANIMUS_FOCUS_ID=focus-1',
      'ANIMUS_FACULTY=engineer',
      'ANIMUS_PHASE=orient',
      'TRACEPARENT=00-ab-cd-01',
      'ALLOWED=yes',
    ]),
  );
  expect(environment.join()).not.toContain('geheim');
});

test.each<[HookPhase, string, object]>([
  ['orient', '', { kind: 'proceed' }],
  ['orient', 'echo', { kind: 'proceed' }],
  ['orient', 'echo plain words', { output: { context: 'plain words' } }],
  [
    'orient',
    `echo '{"params": {"a": [1, null]}, "ledger": [{"type": "finding", "content": "x"}]}'`,
    { output: { params: { a: [1, null] } } },
  ],
  [
    'consolidate',
    `echo '{"outcome": {"ok": true}, "summary": "fine"}'`,
    { output: { outcome: { ok: true }, summary: 'fine' } },
  ],
  [
    'recover',
    `echo '{"action": "retry", "delay_seconds": 5, "keep": "ledger"}'`,
    { output: { action: 'retry', delay_seconds: 5 } },
  ],
  [
    'consolidate',
    `echo '{"memories": [{"content": " x ", "tags": ["t"]}]}'`,
    { output: { memories: [{ content: 'x', layer: 'global', tags: ['t'] }] } },
  ],
  ['recover', '', { kind: 'proceed' }],
  ['engage', `echo '{"outcome": "text"}'`, { output: { outcome: 'text' } }],
])('%s: `%s` is understood', async (phase, script, expected) => {
  const { run } = await hookScript(`#!/bin/sh\n${script}`);
  expect(await run(phase)).toMatchObject(expected);
});

test.each<[HookPhase, string, string, string]>([
  ['orient', `echo '{"context": '`, 'hook.output', 'broken JSON'],
  ['orient', `echo '{"contxt": "x"}'`, 'hook.output', 'contxt'],
  ['orient', `echo '{"context": 5}'`, 'hook.output', 'context: Invalid input: expected string'],
  ['orient', `echo '{"context": "a"} {"context": "b"}'`, 'hook.output', 'broken JSON'],
  ['orient', `echo '{"context": "a\\u0000b"}'`, 'hook.output', 'NUL'],
  ['orient', `echo '{"ledger": [{"type": "thought", "content": "x"}]}'`, 'hook.output', 'ledger.0.type'],
  ['orient', 'head -c 3M /dev/zero', 'hook.output', '3145728 bytes'],
  ['orient', 'printf "a\\0b"', 'hook.output', 'binary'],
  ['consolidate', 'echo done', 'hook.output', 'not a JSON object: done'],
  ['consolidate', `echo '{"memories": {"content": "x"}}'`, 'hook.output', 'memories'],
  ['recover', `echo '{"action": "panic"}'`, 'hook.output', 'action'],
  ['recover', `echo '{"action": "retry", "delay_seconds": -1}'`, 'hook.output', 'delay_seconds'],
  ['engage', '', 'hook.output', 'outcome'],
  ['engage', `echo '{"summary": "x"}'`, 'hook.output', 'outcome'],
  ['orient', 'echo "disk on fire" >&2; exit 1', 'hook.failed', 'exit code 1; stderr: disk on fire'],
  ['orient', 'kill -9 $$', 'hook.failed', 'killed by SIGKILL'],
  ['orient', 'echo half >&2; sleep 300', 'hook.timeout', 'within 2 s and was killed; stderr: half'],
])('%s: `%s` fails with %s', async (phase, script, code, words) => {
  const { run } = await hookScript(`#!/bin/sh\n${script}`);
  const result = await run(phase, code === 'hook.timeout' ? { timeoutMs: 2000 } : {});
  expect(result).toMatchObject({ kind: 'failed', error: { code } });
  expect(result.kind === 'failed' && result.error.message).toContain(words);
});

test.each([
  [`{"memories": [{"text": "x"}, {"content": "y"}]}`, 'memories', 'content'],
  [`{"memories": [{"content": "x", "layer": "team"}, {"content": "y"}]}`, 'memories', 'layer'],
  [`{"skills": [{}]}`, 'skills', 'name'],
  [`{"skills": [{"name": "x", "version": 0}]}`, 'skills', 'version'],
] as const)('consolidate: of %s the wrong entry is told, and no other is lost', async (printed, list, words) => {
  const { run } = await hookScript(`#!/bin/sh\necho '${printed}'`);
  const result = await run('consolidate');
  const wrong = { problem: expect.stringContaining(words) as string };
  const others = list === 'memories' ? [{ content: 'y' }] : [];
  expect(result).toMatchObject({ kind: 'output', output: { [list]: [wrong, ...others] } });
});

test('blocks with exit code 2, with stderr as the reason', async () => {
  const { run } = await hookScript('#!/bin/sh\necho ignored; echo "frozen until Monday" >&2; exit 2');
  const result = await run('orient');
  expect(result).toMatchObject({ kind: 'blocked', reason: 'frozen until Monday', error: { code: 'hook.blocked' } });
});

test.each([
  [
    `echo '{"ledger": [{"type": "finding", "content": "x"}], "outcome": {}}'`,
    'no',
    [{ type: 'finding', content: 'x' }],
  ],
  [
    `echo '{"ledger": [{"type": "nonsense", "content": "x"}]}'`,
    'no; what it printed for the ledger cannot be read: ledger.0.type',
    [],
  ],
  [`echo '{broken'`, 'no; what it printed for the ledger cannot be read: broken JSON', []],
  ['echo plain words', 'no', []],
])('a hook that blocks may leave entries for the ledger: `%s`', async (print, reason, ledger) => {
  const { run } = await hookScript(`#!/bin/sh\n${print}; echo no >&2; exit 2`);
  const result = await run('consolidate');
  expect(result).toMatchObject({ kind: 'blocked', ledger });
  expect(result.kind === 'blocked' && result.reason.startsWith(reason)).toBe(true);
});

test('starts in the given directory, and values of secret variables are masked in its logs', async () => {
  const { run } = await hookScript('#!/bin/sh\nset -x\n: "$TICKETS_API_KEY"; pwd');
  const result = await run('orient', { cwd: '/usr', environment: { TICKETS_API_KEY: 'tickets-key-value' } });
  expect(result).toMatchObject({ kind: 'output', output: { context: '/usr' } });
  expect(result.kind === 'output' && result.stderr).toContain('[secret]');
  expect(result.kind === 'output' && result.stderr).not.toContain('tickets-key-value');
});

test('keeps only the end of a flood of logs', async () => {
  const { run } = await hookScript('#!/bin/sh\nseq 1 2000000 >&2; echo the reason >&2; exit 2');
  const result = await run('orient');
  expect(result.kind === 'blocked' && result.reason.endsWith('the reason')).toBe(true);
  expect(result.kind === 'blocked' && result.reason.length).toBeLessThan(3000);
});

test('may close stdin unread, or leave a background process that holds its output', async () => {
  const token = randomUUID();
  const { run } = await hookScript(
    `#!/bin/sh\nexec 0<&-\nsetsid sh -c 'trap "" TERM; : ${token}; sleep 300' &\necho context`,
  );
  expect(await run('orient')).toMatchObject({ kind: 'output', output: { context: 'context' } });
  expect(processesWith(token)).toEqual([]);
});

test('reports why a hook cannot be started', async () => {
  const { run, file } = await hookScript('#!/bin/sh\n');
  await chmod(file, 0o644);
  const result = await run('orient');
  expect(result).toMatchObject({ kind: 'failed', error: { code: 'hook.failed' } });
  expect(result.kind === 'failed' && result.error.message).toContain('not found or not executable');
  const missing = await run('orient', { command: '/no/such/hook' });
  expect(missing.kind === 'failed' && missing.error.message).toContain('/no/such/hook: not found or not executable');
});

test.each([
  ['#!/no/such/interpreter\n', 'names the interpreter /no/such/interpreter, which is not on this host'],
  ['#!/bin/sh\r\necho context\r\n', 'has Windows line endings (CRLF); save it with Unix line endings'],
  ['#!/usr/bin/env node\r\n', 'has Windows line endings (CRLF)'],
  ['echo context\n', 'has no first line that names its interpreter, such as #!/bin/sh'],
  ['', 'is empty'],
])('says what is wrong with the script %j', async (script, words) => {
  for (const isolation of await isolationModes()) {
    const { run, directory } = await hookScript(script);
    if (isolation === 'uid') await chown(directory, 12_345, 12_345);
    const result = await run('orient', { isolation });
    expect(result.kind === 'failed' && result.error.message, isolation).toContain(words);
  }
});

test('replaces bytes that are not UTF-8 with U+FFFD', async () => {
  const { run } = await hookScript(`#!/bin/sh\nprintf 'gr\\374n'; printf 'r\\366t' >&2`);
  expect(await run('orient')).toMatchObject({ output: { context: 'gr\uFFFDn' }, stderr: 'r\uFFFDt' });
});

test('a background process that a hook forks dies with it, in every isolation', async () => {
  for (const isolation of await isolationModes()) {
    const token = randomUUID();
    const { run, directory } = await hookScript(
      `#!/bin/sh\n(setsid setsid sh -c 'trap "" TERM HUP; exec >/dev/null 2>&1; while :; do sleep 1; : ${token}; done' &)\necho context`,
    );
    if (isolation === 'uid') await chown(directory, 12_345, 12_345);
    expect(await run('orient', { isolation })).toMatchObject({ output: { context: 'context' } });
    expect(processesWith(token), isolation).toEqual([]);
  }
});

test("ends when its caller's signal aborts", async () => {
  const { run } = await hookScript('#!/bin/sh\nsleep 300');
  expect(await run('orient', {}, AbortSignal.timeout(300))).toMatchObject({ kind: 'aborted' });
});

test('the example hooks of the docs work as described', async () => {
  expect((await readdir(EXAMPLES)).sort()).toEqual([
    'add-notices.py',
    'audit.mjs',
    'consolidate.py',
    'engage.py',
    'forbid-paths.py',
    'orient.sh',
    'recover.js',
    'redact-secrets.py',
  ]);
  const { run, directory } = await hookScript('#!/bin/sh\n');
  const oriented = await run('orient', { command: join(EXAMPLES, 'orient.sh') });
  expect(oriented).toMatchObject({ kind: 'output', stderr: 'orienting on work-1' });
  expect(oriented.kind === 'output' && JSON.stringify(oriented.output)).toMatch(/Today is \w+day\./);

  const given = {
    work_item: {
      params: {
        rows: [
          { name: 'tea', amount: 3 },
          { name: 'milk', amount: 1 },
        ],
      },
    },
    faculty: { workspace: directory },
  };
  const engage = () => run('engage', { command: join(EXAMPLES, 'engage.py') }, undefined, given);
  expect(await engage()).toMatchObject({
    output: { outcome: { imported: 2, again: false }, summary: 'imported 2 rows' },
  });
  expect(await engage()).toMatchObject({ output: { outcome: { imported: 2, again: true } } });
  const refused = await run('engage', { command: join(EXAMPLES, 'engage.py') }, undefined, {
    ...given,
    work_item: { params: {} },
  });
  expect(refused).toMatchObject({ kind: 'blocked', reason: expect.stringContaining('params.rows') as string });

  const consolidated = await run('consolidate', { command: join(EXAMPLES, 'consolidate.py') });
  expect(consolidated).toMatchObject({ output: { summary: '1 file(s) changed: a.ts', ledger: [{ type: 'note' }] } });
  const blocked = await run('consolidate', { command: join(EXAMPLES, 'consolidate.py') }, undefined, { outcome: null });
  expect(blocked).toMatchObject({ kind: 'blocked', reason: 'the outcome does not say which files it changed' });

  const recovered = await run('recover', { command: join(EXAMPLES, 'recover.js') });
  expect(recovered).toMatchObject({ output: { action: 'retry', delay_seconds: 120, keep: 'ledger' } });
});
