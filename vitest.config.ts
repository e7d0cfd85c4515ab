import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import LongestFirst from './tests/support/longest-first.ts';

// For the workers and, by `sharedCompileCache`, for the processes that tests start. Before the workers: they inherit it.
process.env['NODE_COMPILE_CACHE'] ||= resolve(import.meta.dirname, 'node_modules/.cache/animus-tests/compiled');

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    reporters: ['default', './tests/support/slowest-files.ts'],
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most tests wait for processes now and then: one more than there are processors keeps those busy.
    maxWorkers: Math.max(2, availableParallelism()) + 1,
    // PGlite in a worker lives for seconds: optimizing its code costs more than it brings.
    execArgv: ['--liftoff-only'],
    // The end-to-end tests run once per wire format, everything else once. No project may have an `exclude`: it would put
    // that of `npm test` out of force.
    projects: [
      { extends: true, test: { name: 'anthropic', include: ['tests/**/*.test.ts'], provide: { wire: 'anthropic' } } },
      {
        extends: true,
        test: {
          name: 'openai',
          include: [
            // In those left out the wire format plays no part, or is always the same.
            'tests/e2e/**/!(bad-database|external-engage|local-model|roles).test.ts',
            'tests/engage/context/context-{run,limits}.test.ts',
          ],
          provide: { wire: 'openai' },
        },
      },
    ],
  },
});
