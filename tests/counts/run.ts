/**
 * `npm run counts`: counts what the table says and names what differs. `npm run counts -- --write` writes tests/counts/counts.json instead: commit it
 * with the change that it follows from, so that both are reviewed together.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { WRITE_VARIABLE } from './table.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const { status } = spawnSync('vitest', ['run', '--project', 'anthropic', 'tests/counts/counts.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, ...(values.write && { [WRITE_VARIABLE]: '1' }) },
});
process.exitCode = status ?? 1;
