import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COMPILE_CACHE } from './tests/support/compile-cache.ts';
import LongestFirst from './tests/support/longest-first.ts';

// The workers inherit it.
process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;

/** End-to-end tests in which the wire format of the model plays no part, or is always the same: they run once. */
const ONE_WIRE = [
  'apply-kills',
  'approvals',
  'background-commands',
  'background-isolations',
  'bad-database',
  'broken-faculties',
  'budget-inbox',
  'budgets',
  'cancel-at-once',
  'changed-batches',
  'changed-embeddings',
  'changed-providers',
  'chat-session',
  'chat-streams',
  'child-kills',
  'child-patterns',
  'children',
  'client-examples',
  'client-kills',
  'clock-jumps',
  'clocks',
  'code-without-engine',
  'config-reload',
  'conversation-files',
  'conversation-story',
  'ctrl-c',
  'cut-connections',
  'daemon-death',
  'daemon-start',
  'demo',
  'embedded-kill',
  'embedded-sharing',
  'embedding-kills',
  'event-streams',
  'external-engage',
  'external-focus',
  'faculty-test',
  'first-run',
  'guards',
  'health-command',
  'hook-command',
  'hook-faults',
  'hook-kills',
  'hooked-call-kills',
  'interrupted-commands',
  'launched-processes',
  'local-model',
  'logical-subscriber',
  'lost-acknowledgements',
  'mail-kills',
  'many-daemons',
  'many-inserts',
  'mcp-daemon',
  'mcp-hostile',
  'mcp-server',
  'mcp-servers',
  'memory-kills',
  'odd-work',
  'poison',
  'previous-version',
  'private-words',
  'provider-changes',
  'psql',
  'roles',
  'run-deadline',
  'said-stays',
  'sandbox-code',
  'sandbox-endpoint',
  'sandbox-functions',
  'sandbox-output',
  'sandbox-runner',
  'scribe',
  'second-attempt',
  'shipped-faculties',
  'shown-texts',
  'skill-kills',
  'skill-writing-kills',
  'skills-arise',
  'slow-commits',
  'standing-loop',
  'status-watch',
  'supervised-processes',
  'thawed-senders',
  'thawed-supervisor',
  'unstorable-output',
  'upgrade-at-work',
  'wait-before-serve',
  'waiting',
  'worktree',
  'webhooks',
  'worktrees-together',
].join('|');

/** Those in which it matters most: kills and the bytes of requests. They run on Responses too, which the others leave out for time. */
const EVERY_WIRE = ['attachments', 'batch', 'conversations', 'journal-points', 'kill'].join('|');

/** Files that change their process for good: they mock a module or start OpenTelemetry. Each gets a process of its own. */
export const ALONE = [
  'tests/cli/sandbox/sandbox-run.test.ts',
  'tests/daemon/focus/code.test.ts',
  'tests/daemon/timers/queue-metrics.test.ts',
  'tests/daemon/timers/spend-roll-up.test.ts',
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
  'oversized-submissions',
  'stale-writers',
  'strangers-row-locks',
  'terminated-connections',
].map((name) => `tests/security/${name}.test.ts`);

export default defineConfig({
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
    // The end-to-end tests run once per wire format, everything else once. No project may have an `exclude`: it would put
    // that of `npm test` out of force.
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
      {
        extends: true,
        test: {
          name: 'openai',
          include: [
            `tests/e2e/**/!(${ONE_WIRE}).test.ts`,
            'tests/engage/context/context-{run,limits}.test.ts',
            'tests/engage/turn/broken-answers.test.ts',
            'tests/engage/structured-outputs.test.ts',
          ],
          provide: { wire: 'openai' },
        },
      },
      {
        extends: true,
        test: {
          name: 'responses',
          include: [
            `tests/e2e/(${EVERY_WIRE}).test.ts`,
            'tests/engage/context/context-{run,limits,reasoning}.test.ts',
            'tests/engage/turn/broken-answers.test.ts',
            'tests/engage/structured-outputs.test.ts',
          ],
          provide: { wire: 'responses' },
        },
      },
    ],
  },
});
