import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOutput } from '../../../src/terminal/view/output.ts';
import { testDatabase } from '../../support/database.ts';
import { openTerminal, screenOf } from '../../support/terminal.ts';

const LAUNCHER = new URL('../../../src/animus.js', import.meta.url).pathname;
const target = testDatabase();
let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'progress-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function terminal(command: string, env: Record<string, string>) {
  const animus = `${process.execPath} ${LAUNCHER} ${command}`;
  return openTerminal(animus, { columns: 60, cwd, env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env } });
}

describe('a command that waits', () => {
  test('shows on the terminal what it waits for, and the result replaces it', async () => {
    const waiting = terminal('work submit nobody x --wait > out.txt', { DATABASE_URL: target.connectionString });
    await waiting.until((written) => /queued, \d.*since it was submitted: no/.test(written));
    await target.database.query(`select animus.cancel_work(id, 'enough') from animus.work_items`);
    expect(await waiting.ended).toBe(1);
    expect(screenOf(waiting.written()).join('\n')).not.toContain('since it was submitted');
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toMatch(/created[\s\S]*cancelled/);
  });

  test('says that it is waiting for a server that does not answer', async () => {
    const silent = createServer((socket) => onTestFinished(() => void socket.destroy()));
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    const waiting = terminal('work list', { DATABASE_URL: `postgres://a@127.0.0.1:${port}/x` });
    await waiting.until((written) => /checking the schema at 127\.0\.0\.1:\d+\/x … \d/.test(written));
    waiting.type('\u0003');
    expect(await waiting.ended).toBe(130);
    expect(screenOf(waiting.written()).join('\n')).not.toContain('asking');
  });
});

describe('progress', () => {
  test.each([
    ['without a terminal', { isTTY: false, json: false }],
    ['as JSON', { isTTY: true, json: true }],
  ])('is silent %s', (_, { isTTY, json }) => {
    let written = '';
    const sink = { write: (text: string) => (written += text), isTTY, columns: 40 };
    const output = createOutput({ stdout: sink, stderr: sink, env: {}, json });
    output.progress('waiting');
    output.progress(null);
    expect(written).toBe('');
  });
});
