import { defineConfig } from 'vitest/config';

/** Only the soak: `npm run test:soak -- --minutes 10`. */
export default defineConfig({
  test: {
    include: ['tests/soak/*.soak.ts'],
    disableConsoleIntercept: true,
    provide: { wire: 'anthropic', postgresUrl: '', templateDatabase: '' },
  },
});
