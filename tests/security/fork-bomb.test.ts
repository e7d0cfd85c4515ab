/** Promise: a command that forks endlessly is stopped soon, with all its processes; the reason is reported, and the host keeps working. */
import { describe, expect, test } from 'vitest';
import { processesWith } from '../process/live-processes.ts';
import { limitedModes, limitedRun } from './limited-run.ts';

const modes = await limitedModes();

/** Each ends by itself after four seconds, in case nothing stops it. */
const BOMBS = {
  plain: 'bomb() { ((SECONDS < 4)) && { bomb | bomb & }; }; bomb; wait; sleep 4',
  // Each generation in its own sessions.
  fleeing: `flee() { ((EPOCHSECONDS < END)) || return; setsid bash -c flee $0 & setsid bash -c flee $0 & }
            export -f flee; export END=$((EPOCHSECONDS + 4)); flee; sleep 4`,
  // Half of them also remove the marker.
  hiding: `flee() { ((EPOCHSECONDS < END)) || return; setsid bash -c flee $0 & env -u ANIMUS_SPAWN_ID setsid bash -c flee $0 & }
            export -f flee; export END=$((EPOCHSECONDS + 4)); flee; sleep 4`,
  // Threads use the same resources in the kernel: this pool starts all of its threads at the first use.
  threads: `export UV_THREADPOOL_SIZE=150; exec ${process.execPath} -e 'require("fs").stat("/", () => {}); setTimeout(() => {}, 6000)'`,
};

describe.skipIf(modes.length === 0).each(modes)('in isolation $isolation, cgroups: $cgroups', (mode) => {
  // Without a separate namespace, user or cgroup, escaped processes are known only by their marks: too late (docs/hooks.md).
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
