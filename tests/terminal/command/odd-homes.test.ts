import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../cli/run-cli.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'homes-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a home', () => {
  test('that is not set is reported as missing, and nothing is created', async () => {
    const ran = await run(['work', 'list'], { cwd: root, env: { HOME: '' } });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('ANIMUS_HOME: expected a directory, because this user has no home directory');
  });

  test('is not needed if a database and a directory are given', async () => {
    const env = { HOME: '', ANIMUS_HOME: join(root, 'given'), DATABASE_URL: 'postgres://a@127.0.0.1:1/x' };
    expect(await run(['config'], { cwd: root, env })).toMatchObject({ code: 0, stderr: '' });
  });

  test('may have spaces and letters of any script in its path', async () => {
    const home = join(root, 'mit Leerzeichen, «ü» und 日本 👩‍💻');
    mkdirSync(home);
    const env = { HOME: home };
    const submitted = await run(['work', 'submit', 'nobody', 'ü 日本', '--json'], { cwd: home, env });
    expect(submitted.code).toBe(0);
    const listed = await run(['work', 'list', '--json'], { cwd: home, env });
    expect(JSON.parse(listed.stdout)).toMatchObject({ items: [{ description: 'ü 日本' }] });
  }, 90_000);
});
