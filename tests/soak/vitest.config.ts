import { defineConfig } from 'vitest/config';

/** The soak alone: `npm run test:soak -- --minutes 10`. */
export default defineConfig({
  test: {
    include: ['tests/soak/*.soak.ts'],
    disableConsoleIntercept: true,
    provide: { wire: 'anthropic', postgresUrl: '', templateDatabase: '' },
  },
});
