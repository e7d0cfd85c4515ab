/**
 * `npm run test:soak -- --minutes N`: runs the soak for N minutes, default 10. Exits 1 if something was lost or done twice. With
 * `--pauses-only`, daemons are only frozen, commits slow and work hostile, and it tells how long that delayed ordinary work. With
 * `--company`, the server has a subscriber of all tables and other settings than ours, and the load of an application is added.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'pauses-only': { type: 'boolean', default: false },
    company: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 1440)) {
  process.stderr.write(`--minutes: expected a number above 0, at most 1440, got ${values.minutes}\n`);
  process.exit(2);
}
const { status } = spawnSync('vitest', ['run', '--config', 'tests/soak/vitest.config.ts', '--root', '.'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ANIMUS_SOAK_MINUTES: String(minutes),
    ANIMUS_SOAK_PAUSES_ONLY: values['pauses-only'] ? '1' : '',
    ANIMUS_SOAK_COMPANY: values.company ? '1' : '',
  },
});
process.exit(status ?? 1);
