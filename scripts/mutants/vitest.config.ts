/** How the tests run that judge a mutant: one file after the other, the likeliest first, on a server that is already there. */
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import InGivenOrder from './in-given-order.ts';

const { testTimeout, hookTimeout, expect } = base.test ?? {};

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    ...(testTimeout === undefined ? {} : { testTimeout }),
    ...(hookTimeout === undefined ? {} : { hookTimeout }),
    ...(expect === undefined ? {} : { expect }),
    include: ['tests/**/*.test.ts'],
    globalSetup: ['scripts/mutants/global-setup.ts'],
    provide: { wire: 'anthropic' },
    sequence: { sequencer: InGivenOrder },
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    // Of a thousand modules, one differs from run to run.
    fsModuleCache: true,
    fsModuleCachePath: process.env['ANIMUS_MUTANT_CACHE'] ?? '',
  },
});
