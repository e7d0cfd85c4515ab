/** HOME and shared caches of commands that run in a container. On a real engine. */
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bash, type Call, startSite } from '../../security/scripted-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { give } from './bash-bench.ts';
import { IMAGE, missingEngine } from './containers.ts';

const missing = missingEngine();
const target = testDatabase();
const CONTAINER = `[faculty.bash]\nisolation = "container"\nimage = "${IMAGE}"\nmemory_mib = 128\n`;
const CALLS = [
  bash('cat "$PIP_CACHE_DIR/wheel" ~/mine; echo x > "$PIP_CACHE_DIR/wheel"; echo mine > ~/mine; stat -c %a ~'),
  bash('cat ~/mine; for each in "$(dirname "$HOME")" "$PIP_CACHE_DIR/../.."; do ls "$each" | wc -l; done'),
];

async function start(calls: readonly Call[], faculty: string) {
  const site = await startSite(target, { calls, faculty: `${faculty}\ncaches = ["pip"]`, tables: CONTAINER });
  // Commands that are not of root pass through it.
  chmodSync(site.directory, 0o755);
  return site;
}

describe.skipIf(missing !== null)(
  `HOME of commands in a container${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    test('is not in the workspace; the next item finds the caches, and has a home of its own', async () => {
      const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'animus-owned-')));
      onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
      give(workspace);
      const { run } = await start(CALLS, `workspace = "${workspace}"`);
      const first = await run();
      expect(first.outputs[0]).toMatch(/^exit code 0\nstdout:\n700\nstderr:\n.*wheel.*No such file/);
      // Of other foci and faculties there is nothing.
      expect(first.outputs[1]).toBe('exit code 0\nstdout:\nmine\n1\n1');
      expect((await run()).outputs[0]).toMatch(/^exit code 0\nstdout:\nx\n700\nstderr:\n.*mine.*No such file/);
      expect(readdirSync(workspace)).toEqual([]);
    });

    test('is there although the workspace contains ANIMUS_HOME, which is hidden', async () => {
      const site = await start(
        [...CALLS, bash('ls home; cat home/embedded.json; ls home/foci | wc -l')],
        'workspace = ".."',
      );
      give(site.directory);
      const { outputs } = await site.run();
      expect(outputs[0]).toMatch(/^exit code 0\nstdout:\n700\n/);
      expect(outputs[1]).toBe('exit code 0\nstdout:\nmine\n1\n1');
      expect(outputs[2]).toMatch(/^exit code 0\nstdout:\ncaches\nfoci\nhomes\n1\nstderr:\n.*No such file/);
    });
  },
);
