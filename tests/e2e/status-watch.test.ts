import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../src/core/lifecycle/interrupts.ts';
import { displayWidth } from '../../src/terminal/view/display-width.ts';
import { createRedraw } from '../../src/terminal/view/redraw.ts';
import { LAUNCHER } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { openTerminal, screenOf } from '../support/terminal.ts';

const target = testDatabase();

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'watch-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('status --watch on a terminal', () => {
  test('redraws in place, survives the loss of the database, and leaves a clean terminal', async () => {
    const proxy = await startPostgresProxy(target.connectionString);
    const terminal = openTerminal(`${process.execPath} ${LAUNCHER} status --watch --every 1`, {
      columns: 40,
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, DATABASE_URL: proxy.url },
    });
    const seen = (text: string) =>
      terminal.until(() => screenOf(terminal.written()).some((line) => line.includes(text)));
    await seen('none is running');
    await target.database.query(`insert into animus.work_items (faculty, description) values ('nobody', '日本語')`);
    await seen('1 queued');
    proxy.cut();
    await seen('as of ');
    expect(screenOf(terminal.written()).join('\n')).toContain('1 queued');
    proxy.mend();
    await target.database.query(`insert into animus.work_items (faculty) values ('nobody')`);
    await seen('2 queued');
    const screen = screenOf(terminal.written());
    expect(screen.filter((line) => line.startsWith('Database'))).toHaveLength(1);
    for (const line of screen) expect(displayWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(40);

    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
    const left = terminal.written();
    // No mode of the terminal was changed (alternate screen, cursor, wrapping), and every colour was reset.
    // oxlint-disable-next-line no-control-regex
    expect(left).not.toMatch(/\u001b\[\?|\u001b7/);
    expect(left.endsWith('\n')).toBe(true);
    // oxlint-disable-next-line no-control-regex
    expect(left.match(/\u001b\[[0-9]+m/g)?.at(-1)).toBe('\u001b[0m');
  });
});

describe('status --watch without a terminal', () => {
  test.each([[[]], [['--json']]])('appends with %j, and reports once that the database is lost', async (more) => {
    const proxy = await startPostgresProxy(target.connectionString);
    const interrupts = createInterrupts(systemClock);
    let [stdout, stderr] = ['', ''];
    const running = runCli(['status', '--watch', '--every', '1', ...more], {
      env: { HOME: cwd, DATABASE_URL: proxy.url },
      cwd,
      stdin: Readable.from([]),
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      signals: interrupts,
    });
    const looks = () => stdout.match(/"count_cap"|^Database/gm)?.length ?? 0;
    await eventually('the second look', () => looks() >= 2 || null);
    proxy.cut();
    const [away, back] = [() => stderr + stdout.replaceAll(/.*count_cap.*/g, ''), looks()];
    await eventually('it is away', () => /trying again|"code":"db.unreachable"/.test(away()) || null);
    proxy.mend();
    await eventually('it is back', () => looks() > back || null);
    interrupts.receive('SIGINT');
    expect(await running).toBe(130);
    if (more.length > 0) for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
    else expect(stderr.match(/trying again/g)).toHaveLength(1);
    expect(stdout).not.toContain('\u001b');
  });

  test('fails as usual if there is no database at the start', async () => {
    const { run } = await import('../cli/run-cli.ts');
    const ran = await run(['status', '--watch'], { env: { DATABASE_URL: 'postgres://a@127.0.0.1:1/x' } });
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining('cannot use the database') });
  });
});

describe('a frame', () => {
  test('that is too high is cut, and a terminal of another size is redrawn from scratch', () => {
    let written = '';
    const terminal = { write: (text: string) => (written += text), columns: 40, rows: 5 };
    const redraw = createRedraw(terminal);
    redraw('1\n2\n3\n4\n5\n6\n');
    expect(screenOf(written)).toEqual(['1', '2', '3', '… 3 more lines']);
    redraw('a\nb\n');
    expect(screenOf(written)).toEqual(['a', 'b']);
    terminal.columns = 30;
    redraw('c\n');
    expect(written).toContain('\u001b[2J\u001b[H');
    expect(screenOf(written)).toEqual(['c']);
  });
});
