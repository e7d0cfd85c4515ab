import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most of them wait for processes: two at a time also where there are only two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // The end-to-end tests run once per wire format, everything else once.
    projects: [
      { extends: true, test: { name: 'anthropic', include: ['tests/**/*.test.ts'], provide: { wire: 'anthropic' } } },
      {
        extends: true,
        test: {
          name: 'openai',
          include: ['tests/e2e/**/*.test.ts', 'tests/engage/context/context-{run,limits}.test.ts'],
          // In these the wire format plays no part, or is always the same.
          exclude: ['tests/e2e/{bad-database,external-engage,local-model,roles}.test.ts'],
          provide: { wire: 'openai' },
        },
      },
    ],
  },
});
