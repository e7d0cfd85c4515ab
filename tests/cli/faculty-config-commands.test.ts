import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunOptions, run } from './run-cli.ts';

const GOOD =
  '[faculty]\nname = "engineer"\ndescription = "Fixes"\n[faculty.engage]\nmodel = "m"\nsystem_prompt = "p"\n';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe('faculty', () => {
  test('check tells every problem and exits 2; list shows what can be used', async () => {
    write({ 'faculties/a.toml': GOOD, 'faculties/b.toml': '[faculty]\nname = "b"\nmodle = "x"\n' });
    const checked = await animus('faculty', 'check');
    expect(checked.code).toBe(2);
    expect(checked.stdout).toMatch(
      /^ok {7}engineer {2}.*a\.toml\nproblem {2}.*b\.toml:1: faculty\.engage: .*\nproblem {2}.*b\.toml:3: faculty\.modle: unknown key/,
    );
    const listed = await animus('faculty', 'list');
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/engineer +m +- +0 +Fixes/) });
    expect(listed.stderr).toContain('2 problem(s)');
    const json = JSON.parse((await animus('faculty', 'check', '--json')).stdout);
    expect(json).toMatchObject({
      ok: false,
      faculties: ['engineer'],
      problems: [{ line: 1 }, { line: 3, key: 'faculty.modle' }],
    });
  });

  test('check of a name that is not there names the nearest', async () => {
    write({ 'faculties/a.toml': GOOD });
    expect(await animus('faculty', 'check', 'engineer')).toMatchObject({ code: 0 });
    expect(await animus('faculty', 'check', 'enginer')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('did you mean engineer?'),
    });
  });

  test('serve without any faculty file says so before it starts anything', async () => {
    mkdirSync(join(cwd, 'faculties'));
    expect(await animus('serve')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no faculty files (*.toml)'),
    });
  });
});

describe('config', () => {
  test('prints every effective value with its origin, and no secret', async () => {
    write({ 'animus.toml': '[daemon]\nmax_concurrent = 7\n[models."anthropic/x"]\ncontext_window = 1000\n' });
    const env = { ANTHROPIC_API_KEY: 'SECRET', DATABASE_URL: 'postgres://a:SECRET@h/d' };
    const { stdout, code } = await animus('config', { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/daemon\.max_concurrent +7 +.*animus\.toml:2/);
    expect(stdout).toMatch(/database_url +\*\*\* +environment DATABASE_URL/);
    expect(stdout).toMatch(/providers\.anthropic\.kind +anthropic +default/);
    expect(stdout).toMatch(/models\."anthropic\/x"\.context_window +1000/);
    const json = await animus('config', '--json', { env });
    expect(JSON.parse(json.stdout).settings).toContainEqual({
      key: 'providers.anthropic.api_key',
      value: '***',
      origin: 'environment ANTHROPIC_API_KEY',
    });
    expect(stdout + json.stdout).not.toContain('SECRET');
  });

  test('reads the file it is told to, which must be there', async () => {
    write({ 'other.toml': '[daemon]\npool_size = 3\n' });
    expect((await animus('config', '--config', 'other.toml')).stdout).toMatch(/pool_size +3/);
    expect(await animus('config', '--config', 'none.toml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none.toml: cannot be read'),
    });
  });

  test('refuses a secret file that others may read', async () => {
    write({ key: 'SECRET' });
    const { code, stderr } = await animus('config', { env: { ANTHROPIC_API_KEY_FILE: 'key' } });
    expect(code).toBe(2);
    expect(stderr).toContain('is readable by others (mode 0644)');
    expect(stderr).not.toContain('SECRET');
  });
});

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode: 0o644 });
  }
}

function animus(...argv: (string | RunOptions)[]) {
  const last = argv.at(-1);
  const options = typeof last === 'object' ? last : {};
  const env = { ANIMUS_HOME: join(cwd, 'home'), ...options.env };
  return run(
    argv.filter((part) => typeof part === 'string'),
    { ...options, cwd, env },
  );
}
