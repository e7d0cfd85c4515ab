import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../src/core/lifecycle/interrupts.ts';
import { type RunOptions, run } from '../cli/run-cli.ts';
import { eventually } from '../support/eventually.ts';

let cwd: string;
let scratch: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'faculty-test-'));
  scratch = join(cwd, 'scratch');
  mkdirSync(scratch);
  vi.stubEnv('TMPDIR', scratch);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cwd, { recursive: true, force: true });
});

const FACULTY = `[faculty]
name = "clerk"
workspace = ".."
[faculty.engage]
model = "claude-sonnet-4-5"
fallback_models = ["openai/gpt-5"]
system_prompt = "You keep the books."
tools = ["read_file", "write_file"]
[faculty.consolidate]
command = "./check.sh"
`;
const CHECK = `#!/bin/sh
cat > /dev/null
echo '{"outcome": {"checked": true}}'
`;
const WRITES = `[[answer]]
when = { task_contains = "the year 2026" }
text = "I write."
turn = 1
[[answer.call]]
tool = "write_file"
input = { path = "book.txt", content = "new", overwrite = true }
[[answer.call]]
tool = "read_file"
input = { path = "nowhere.txt" }
`;

describe('animus faculty test', () => {
  test('waits for nobody: a question, and a call that a rule asks about, fail at once', async () => {
    const rules = '[faculty.permissions]\nwrite_file = "ask"\n';
    const asks = `[[answer]]
turn = 1
call = [{ tool = "ask_human", input = { question = "Which?" } }, { tool = "write_file", input = { path = "b.txt", content = "x" } }]
[[answer]]
turn = 2
text = "I go on without."
`;
    write({ 'faculties/clerk.toml': FACULTY + rules, 'faculties/check.sh': CHECK, 'script.toml': asks });
    const argv = ['faculty', 'test', 'clerk', 'script.toml'];
    const ran = await run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') } });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('I go on without.');
    // Each of the two results, and the outcome, which says why nothing was written.
    expect(ran.stdout.match(/nobody can be asked in this run/g)).toHaveLength(3);
  });

  test('waits for nobody to raise a limit: the work ends there', async () => {
    const limited = `${FACULTY.replace('[faculty.engage]', '[faculty.engage]\nmax_tokens = 1000')}[faculty.budget]\nmax_tokens = 1100\n`;
    write({
      'faculties/clerk.toml': limited,
      'faculties/check.sh': CHECK,
      'script.toml': '[[answer]]\ntext = "Done."\n',
    });
    const argv = ['faculty', 'test', 'clerk', 'script.toml'];
    const ran = await run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') } });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('the limit of 1100 tokens for this work item would be exceeded');
    expect(ran.stdout).toContain('nobody can be asked in this run');
  });

  test('counts at the prices of the models that the script answers for, and keeps limits in USD', async () => {
    const limited = (usd: number) =>
      `${FACULTY.replace('fallback_models = ["openai/gpt-5"]\n', 'max_tokens = 1000\n')}[faculty.budget]\nmax_usd = ${usd}\n`;
    write({
      'faculties/clerk.toml': limited(1),
      'faculties/check.sh': CHECK,
      'script.toml': '[[answer]]\ntext = "Done."\nusage = { input = 1000, output = 1000 }\n',
    });
    const argv = ['faculty', 'test', 'clerk', 'script.toml', '--json'];
    const ran = await run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') } });
    expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
    // 3 USD for a million tokens in, 15 for a million out.
    expect(JSON.parse(ran.stdout).item.cost_usd).toBeCloseTo(0.018, 5);
    // What `serve` does not load is not tested, and what it says helps here, too.
    write({ 'faculties/clerk.toml': limited(0.001), 'faculties/other.toml': FACULTY.replace('clerk', 'other') });
    const refused = await run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') } });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('0.001 USD is less than one answer may cost');
  });

  test('ends with the problem of a faculty that its work waits for', async () => {
    write({
      'faculties/clerk.toml': `${FACULTY}[faculty.children]\nfaculties = ["broken"]\n`,
      'faculties/check.sh': CHECK,
      'faculties/broken.toml': `${FACULTY.replace('clerk', 'broken')}[faculty.budget]\nmax_tokens = 1\n`,
      'script.toml': `[[answer]]
turn = 1
call = [{ tool = "spawn_child_work", input = { faculty = "broken", description = "x" } }]
[[answer]]
turn = 2
call = [{ tool = "await_child_work", input = {} }]
`,
    });
    const argv = ['faculty', 'test', 'clerk', 'script.toml'];
    const ran = await run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') } });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('broken');
    expect(ran.stderr).toContain('1 tokens is less than one answer may have');
  });

  test('plays the script with real tools and hooks, in a copy of the workspace', async () => {
    write({
      'sample/book.txt': 'old',
      'script.toml': `${WRITES}
[[answer]]
turn = 2
model = "claude-sonnet-4-5"
fault = { kind = "overloaded" }
[[answer]]
turn = 2
model = "openai/gpt-5"
text = "Done."
`,
    });
    const ran = await rehearse('--workspace', 'sample', '--description', 'Close the year 2026');
    expect(ran.stdout).toMatch(/turn 1 {2}I write\.\n {2}2 calls at once\n(.*\n)* {2}✓ write_file/);
    expect(ran.stdout).toMatch(/✗ read_file .*\n {6}nowhere\.txt: /);
    expect(ran.stdout).toContain('turn 2  Done.');
    expect(ran.stdout).toContain('"checked": true');
    expect(ran.stdout).toMatch(/\ncompleted {2}2 turns, .* in all\n$/);
    expect(ran.code).toBe(0);
    expect(readFileSync(join(cwd, 'sample/book.txt'), 'utf8')).toBe('old');
    expect(existsSync(join(cwd, 'book.txt'))).toBe(false);
    expect(readdirSync(scratch)).toEqual([]);
  });

  test('exits 1 after one attempt: it does not wait for an external failure to pass', async () => {
    write({ 'script.toml': '[[answer]]\nfault = { kind = "rate_limit", retry_after_ms = 60000 }\n' });
    const ran = await rehearse('--json', '--params', '{"n": 1}');
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      completed: false,
      item: { state: 'scheduled', attempts: 0, params: { n: 1 } },
      foci: [{ number: 1, turns: [{ turn: 1 }] }],
    });
    expect(readdirSync(scratch)).toEqual([]);
  });

  test('reports the turn for which the script has no answer', async () => {
    write({ 'script.toml': WRITES });
    const ran = await rehearse('--description', 'the year 2026');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('script.toml has no answer for turn 2');
    expect(ran.stdout).toMatch(/\nfailed; would be retried in [\d.]+ m?s {2}1 turn, .* in all\n$/);
    expect(existsSync(join(cwd, 'book.txt'))).toBe(false);
  });

  test('ends at once when it is interrupted during a turn, and leaves nothing behind', async () => {
    write({ 'script.toml': `${WRITES}[[answer]]\nturn = 2\ndelay_ms = 600000\n` });
    const interrupts = createInterrupts(systemClock);
    const running = rehearse({ interrupts }, '--description', 'the year 2026');
    await eventually('turn 1 has written', () => {
      const [home] = readdirSync(scratch).filter((name) => name.startsWith('animus-test-'));
      return home !== undefined && existsSync(join(scratch, home, 'workspace/book.txt')) ? true : null;
    });
    interrupts.receive('SIGINT');
    const ran = await running;
    expect([ran.code, ran.stderr]).toEqual([
      130,
      'animus: stopped: the temporary database and directory are deleted; what hooks and commands did outside stays\n',
    ]);
    expect(readdirSync(scratch)).toEqual([]);
  });

  test.each([
    [{}, ['clerk', 'script.toml'], 2, 'script.toml: cannot be read: no such file or directory (ENOENT)'],
    [{ 'script.toml': '[[answer]\n' }, ['clerk', 'script.toml'], 2, 'script.toml: line 1'],
    [
      { 'script.toml': '[[answer]]\ntxet = "x"\n' },
      ['clerk', 'script.toml'],
      2,
      'script.toml: answer[1].txet: expected',
    ],
    [{ 'script.toml': WRITES }, ['clekr', 'script.toml'], 3, 'no faculty named clekr (did you mean clerk?)'],
    [
      { 'script.toml': WRITES, 'faculties/other.toml': '[faculty]\nname = "other"\n' },
      ['other', 'script.toml'],
      3,
      'these files have problems:\n  ',
    ],
    [
      { 'script.toml': WRITES },
      ['clerk', 'script.toml', '--workspace', 'none'],
      2,
      '--workspace: none cannot be copied',
    ],
    [{ 'script.toml': WRITES }, ['clerk', 'script.toml', '--params', '[1]'], 2, '--params: expected a JSON object'],
  ])('with %j, %j exits %i: %s', async (files, argv, code, expected) => {
    write(files);
    const ran = await animus({}, 'faculty', 'test', ...argv);
    expect(ran.stderr).toContain(expected);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(readdirSync(scratch)).toEqual([]);
  });
});

function rehearse(...argv: (string | RunOptions)[]) {
  const options = argv.find((part) => typeof part === 'object') ?? {};
  return animus(options, 'faculty', 'test', 'clerk', 'script.toml', ...argv.filter((part) => typeof part === 'string'));
}

function animus(options: RunOptions, ...argv: string[]) {
  write({ 'faculties/clerk.toml': FACULTY, 'faculties/check.sh': CHECK });
  return run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') }, ...options });
}

function write(files: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text = ''] of Object.entries(files)) {
    const file = join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, text.startsWith('#!') ? 0o755 : 0o644);
  }
}
