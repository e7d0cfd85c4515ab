import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runHookCommand } from '../../src/daemon/hooks/hook-command.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { Isolation } from '../../src/process/process-host.ts';
import { isolationModes } from '../process/isolation-modes.ts';

const HOOKS = new URL('../../faculties/hooks/', import.meta.url).pathname;
const modes = (await isolationModes()).filter((mode) => mode !== 'uid');

test.each(modes)(
  "the workspace's own tests find none of the hooks' secrets, not even in the process that started them (%s)",
  async (isolation) => {
    const { workspace, run } = setUp(isolation);
    writeFileSync(
      join(workspace, 'steal.sh'),
      'env > stolen; cat /proc/[0-9]*/environ >> stolen 2>/dev/null; exit 0\n',
    );
    writeFileSync(join(workspace, 'package.json'), JSON.stringify({ scripts: { test: 'sh steal.sh' } }));
    expect(await run('verify-change.js')).toMatchObject({
      kind: 'output',
      output: { outcome: { tests: 'npm test passed' } },
    });
    const stolen = readFileSync(join(workspace, 'stolen'), 'utf8');
    expect(stolen).toContain('PATH=');
    expect(stolen).not.toContain('tickets-token-value');
  },
);

test.each([
  ['package.json', '/dev/zero'],
  ['data.bin', '/dev/zero'],
])('a link %s → %s is not read by a hook', async (name, target) => {
  const { workspace, run } = setUp('none');
  symlinkSync(target, join(workspace, name));
  expect(await run('verify-change.js')).toMatchObject({ output: { outcome: { tests: 'none found' } } });
  expect(existsSync(join(workspace, name))).toBe(true);
});

function setUp(isolation: Isolation) {
  const root = mkdtempSync(join(tmpdir(), 'animus-hooks-'));
  const workspace = mkdtempSync(join(root, 'workspace-'));
  const processes = createProcessHost({ graceMs: 200 });
  onTestFinished(async () => {
    await processes.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const run = (hook: string) =>
    runHookCommand(
      'consolidate',
      {
        command: join(HOOKS, hook),
        args: [],
        cwd: workspace,
        focusDirectory: root,
        home: root,
        owner: 'w',
        workItemId: 'w',
        focusId: 'f',
        faculty: 'engineer',
        environment: { TICKETS_TOKEN: 'tickets-token-value', ANIMUS_TEST_SECRET: 'tickets-token-value' },
        timeoutMs: 20_000,
        isolation,
      },
      {
        work_item: { params: {} },
        readers: [],
        faculty: { workspace },
        ledger: [],
        outcome: {},
        final_text: 'done',
        children: [],
      },
      processes,
      new AbortController().signal,
    );
  return { workspace, run };
}
