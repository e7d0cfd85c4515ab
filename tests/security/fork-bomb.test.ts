/** Promise: a command that forks without end is stopped whole, soon, with words that say why, and the host goes on. */
import { describe, expect, test } from 'vitest';
import { processesWith } from '../process/live-processes.ts';
import { limitedModes, limitedRun } from './limited-run.ts';

const modes = await limitedModes();

/** Each ends by itself after four seconds, should nobody stop it. */
const BOMBS = {
  plain: 'bomb() { ((SECONDS < 4)) && { bomb | bomb & }; }; bomb; wait; sleep 4',
  // Each generation in sessions of its own.
  fleeing: `flee() { ((EPOCHSECONDS < END)) || return; setsid bash -c flee $0 & setsid bash -c flee $0 & }
            export -f flee; export END=$((EPOCHSECONDS + 4)); flee; sleep 4`,
  // Half of them with the marker removed, too.
  hiding: `flee() { ((EPOCHSECONDS < END)) || return; setsid bash -c flee $0 & env -u ANIMUS_SPAWN_ID setsid bash -c flee $0 & }
            export -f flee; export END=$((EPOCHSECONDS + 4)); flee; sleep 4`,
  // Threads take the same room in the kernel: this pool starts all of its own at the first use.
  threads: `export UV_THREADPOOL_SIZE=150; exec ${process.execPath} -e 'require("fs").stat("/", () => {}); setTimeout(() => {}, 6000)'`,
};

describe.skipIf(modes.length === 0).each(modes)('in isolation $isolation, cgroups: $cgroups', (mode) => {
  // Without a namespace, a user or a cgroup of its own, what flees is known by its marks alone: too late (docs/hooks.md).
  const apart = mode.isolation === 'namespace' || mode.cgroups;
  const kinds: readonly (keyof typeof BOMBS)[] = apart
    ? ['plain', 'fleeing', 'hiding']
    : mode.isolation === 'uid'
      ? ['plain', 'fleeing']
      : ['plain'];

  test.each(kinds)('a %s fork bomb is stopped completely, and the next command runs', async (kind) => {
    const { run, token } = limitedRun(mode);
    const result = await run(BOMBS[kind]);
    expect(result).toMatchObject({
      ended: 'limit',
      problem: 'it reached the limit of 120 processes and threads (max_processes)',
    });
    expect(processesWith(token)).toEqual([]);
    expect(await run('echo alive')).toMatchObject({ ended: 'exit', stdout: { text: 'alive\n' } });
  });
});

test.skipIf(modes.length === 0)('threads count like processes', async () => {
  const { run } = limitedRun({ isolation: 'none', cgroups: false });
  const result = await run(BOMBS.threads);
  expect(result.ended).toBe('limit');
});
