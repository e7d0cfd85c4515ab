import { expect, test } from 'vitest';
import { showDaemons } from '../../../../src/features/operate/status/status-daemons.ts';
import { showStatus } from '../../../../src/features/operate/status/status-view.ts';
import { createOutput } from '../../../../src/terminal/view/output.ts';
import { run } from '../../../cli/run-cli.ts';
import { beginFocus } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();

test('a running focus has a row, in which the cost ends where its title does', async () => {
  await beginFocus(target.database);
  const env = { DATABASE_URL: target.connectionString };
  const status = JSON.parse((await run(['status', '--json'], { env })).stdout);
  for (const [n, focus] of status.foci.entries()) Object.assign(focus, { cost_usd: 12.5 + n });
  let text = '';
  const stream = { isTTY: false, write: (more: string) => void (text += more) };
  const output = createOutput({ stdout: stream, stderr: stream, env: {}, json: false });
  showStatus(output, { kind: 'postgres', where: 'here', status, parts: [] });
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith('RUNNING'));
  const [header, row] = [lines[at]!, lines[at + 1]!];
  expect(header).toMatch(/^RUNNING +FACULTY +PHASE +TURN +FOR +COST +TASK +PLAN/);
  expect(row.indexOf('$12.50') + '$12.50'.length).toBe(header.indexOf('COST') + 'COST'.length);
});

test('where no daemon runs, that is said, with what to do', () => {
  const said = (...alive: readonly boolean[]) => {
    let text = '';
    const stream = { isTTY: false, write: (more: string) => void (text += more) };
    const output = createOutput({ stdout: stream, stderr: stream, env: {}, json: false });
    const at = new Date().toISOString();
    const daemons = alive.map((lives) => ({ alive: lives, stopped_at: at }));
    showDaemons(output, { daemons, at } as never);
    return text.split('\n')[0];
  };
  expect(said(false)).toBe('Daemons   none is running; start one with: animus serve');
  expect(said(false, true)).toBe('          2 daemons stopped in the last hour');
});
