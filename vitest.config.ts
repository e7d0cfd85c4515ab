import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { bundledHelpers } from './tests/support/bundled-animus.ts';
import { COMPILE_CACHE } from './tests/support/compile-cache.ts';
import LongestFirst from './tests/support/longest-first.ts';
import { preparedFile } from './tests/support/prepared-file.ts';

// The workers inherit it.
process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;

/**
 * The test files that run on this wire format, too, because they begin with a line that says so: `// Also on the wires openai, responses.`
 * All others run once, on Anthropic's. Kills and the bytes of requests run on all three; on Responses nothing else, for time.
 */
export function alsoOn(wire: 'openai' | 'responses'): string[] {
  return globSync('tests/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
    wiresOf(readFileSync(join(import.meta.dirname, file), 'utf8')).includes(wire),
  );
}

function wiresOf(source: string): readonly string[] {
  return /^\/\/ Also on the wires? ([a-z, ]+)\.\n/.exec(source)?.[1]?.split(', ') ?? [];
}

/** Files that change their process for good: they mock a module or start OpenTelemetry. Each gets a process of its own. */
export const ALONE = [
  'tests/daemon/focus/code.test.ts',
  'tests/daemon/timers/queue-metrics.test.ts',
  'tests/features/budgets/service.test.ts',
  'tests/features/sandbox/sandbox-run.test.ts',
  'tests/http/api/telemetry.test.ts',
  'tests/telemetry/{export,setup}.test.ts',
  'tests/tools/code/code-spans.test.ts',
];

/** Security tests that use up the machine or measure time, each of which runs while nothing else does. */
const ONE_AT_A_TIME = [
  'embedded-strangers',
  'event-loop',
  'focus-limits',
  'fork-bomb',
  'killed-while-starting',
  'mcp-event-loop',
  'memory-files',
  'memory-hog',
  'notification-queue',
  'oom-victims',
  'stale-writers',
  'strangers-row-locks',
  'terminated-connections',
].map((name) => `tests/security/${name}.test.ts`);

export default defineConfig({
  plugins: [bundledHelpers(), preparedFile()],
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    reporters: ['default', './tests/support/slowest-files.ts', './tests/support/second-tries.ts'],
    // CI runs a failed test once more and lists it as such; see second-tries.ts.
    retry: process.env['ANIMUS_TEST_RETRY'] === undefined ? 0 : 1,
    sequence: { sequencer: LongestFirst },
    // To end what hangs, on a busy machine too: no test is judged by how long it takes.
    testTimeout: 150_000,
    hookTimeout: 120_000,
    // A state that is waited for comes late on a busy machine; one second, the default, is a bet on a quiet one.
    expect: { poll: { timeout: 20_000 } },
    // Most tests wait for processes now and then: one more than there are processors keeps those busy.
    maxWorkers: Math.max(2, availableParallelism()) + 1,
    // No project may have an `exclude`: it would put that of `npm test` out of force.
    projects: [
      // Its files share their worker processes: starting one and importing the sources took a third of the processor time. The
      // scripts of the suites with processes, kills and hostile commands ask for isolation again.
      {
        extends: true,
        test: {
          name: 'anthropic',
          include: ['tests/**/*.test.ts', ...[...ALONE, ...ONE_AT_A_TIME].map((file) => `!${file}`)],
          isolate: false,
          provide: { wire: 'anthropic' },
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, provide: { wire: 'anthropic' } } },
      // A project with one worker runs after the others.
      {
        extends: true,
        test: { name: 'one-at-a-time', include: ONE_AT_A_TIME, maxWorkers: 1, provide: { wire: 'anthropic' } },
      },
      { extends: true, test: { name: 'openai', include: alsoOn('openai'), provide: { wire: 'openai' } } },
      { extends: true, test: { name: 'responses', include: alsoOn('responses'), provide: { wire: 'responses' } } },
    ],
  },
});
