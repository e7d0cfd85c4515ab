import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { loadRunnableFaculties } from '../../../src/daemon/reload/load-faculties.ts';
import { openCatalogue } from '../../../src/llm/models/catalogue.ts';
import { nextCommands } from '../../support/next-commands.ts';
import { run } from '../run-cli.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'init ü '));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
});

const FILES = [
  'animus.toml',
  'faculties/engineer.toml',
  'faculties/prompts/engineer.md',
  'faculties/scripts/engineer.toml',
  'faculties/assistant.toml',
];

describe('animus init', () => {
  test('in a git repository writes a valid faculty that works in worktrees of it', async () => {
    repository();
    const ran = await run(['init'], { cwd });
    expect(ran.code).toBe(0);
    for (const file of FILES) expect(ran.stdout).toContain(`written  ${file}\n`);
    const faculty = await loaded('engineer');
    expect(faculty).toMatchObject({ isolation: 'worktree', repo: cwd, engage: { model: 'rehearsal/script' } });
  });

  test.each([
    ['an empty directory', () => {}],
    ['a repository without a commit, of which no worktree can be made', () => git('init', '-q')],
  ])('in %s writes a faculty that works in the directory itself', async (_where, prepare) => {
    prepare();
    expect((await run(['init'], { cwd })).code).toBe(0);
    expect(await loaded('engineer')).toMatchObject({ isolation: 'directory', workspace: cwd, maxConcurrent: 1 });
  });

  test('prints the next commands to copy, with the program as it was called', async () => {
    const ran = await run(['init', 'shop', '--name', 'smith'], {
      cwd,
      terminal: 40,
      env: { npm_command: 'exec', NO_COLOR: '1' },
    });
    expect(nextCommands(ran.stdout)).toEqual([
      'cd shop',
      'npx animus faculty test smith faculties/scripts/smith.toml --workspace .',
      'npx animus serve',
      'npx animus work submit smith "Describe this project in NOTES.md" --wait',
      'npx animus chat',
    ]);
    expect(nextCommands((await run(['init', 'my shop'], { cwd })).stdout)[0]).toBe("cd 'my shop'");
    expect(nextCommands((await run(['init'], { cwd })).stdout)[0]).toMatch(/^animus faculty test /);
  });

  test('in a directory of a repository says why there is no worktree, and how to have one', async () => {
    repository();
    mkdirSync(join(cwd, 'packages/a'), { recursive: true });
    const ran = await run(['init', 'packages/a'], { cwd });
    expect(ran.stdout).toContain(
      'engineer works directly in the directory, without a git worktree, with rehearsal/script.\n',
    );
    const top = `'${realpathSync(cwd)}'`;
    expect(ran.stdout).toContain(
      `No worktree: it is not the top directory of its git repository. For one per run: animus init ${top}\n`,
    );
    // Each line as a person copies it, in one shell.
    const lines = nextCommands(ran.stdout).map((line) =>
      line.startsWith('cd ') ? line : 'ls animus.toml faculties/engineer.toml',
    );
    expect(() => execFileSync('sh', ['-ec', lines.join('\n')], { cwd })).not.toThrow();
    const none = async (...argv: string[]) =>
      JSON.parse((await run(['init', ...argv, '--json'], { cwd })).stdout).no_worktree;
    expect(await none('packages/a')).toBe('it is not the top directory of its git repository');
    expect(await none()).toBeNull();
  });

  test('overwrites nothing, and lists what it kept', async () => {
    writeFileSync(join(cwd, 'animus.toml'), '# mine\n');
    const first = await run(['init', '--json'], { cwd });
    expect(JSON.parse(first.stdout).files).toEqual([
      { path: 'animus.toml', result: 'kept' },
      ...FILES.slice(1).map((path) => ({ path, result: 'written' })),
    ]);
    expect(readFileSync(join(cwd, 'animus.toml'), 'utf8')).toBe('# mine\n');
    const again = await run(['init'], { cwd });
    expect(again.stdout.match(/^kept /gm)).toHaveLength(5);
  });

  test.each([
    [{ ANTHROPIC_API_KEY: 'k' }, 'claude-sonnet-5-5'],
    [{ OPENAI_API_KEY: 'k' }, 'openai/gpt-6-sol'],
    [{}, 'rehearsal/script'],
  ])('takes the model of the key that is set: %j', async (env, model) => {
    const ran = await run(['init', '--json'], { cwd, env });
    expect(JSON.parse(ran.stdout).model).toBe(model);
  });

  test('names the key that a model needs and that is not set', async () => {
    const ran = await run(['init', '--model', 'claude-sonnet-4-5'], { cwd });
    expect(ran.stderr).toContain('claude-sonnet-4-5 needs ANTHROPIC_API_KEY');
  });

  test('offers the current models on a terminal, with their prices and keys', async () => {
    const ran = await run(['init'], { cwd, terminal: 100, typed: ['6'], env: { OPENAI_API_KEY: 'k', NO_COLOR: '1' } });
    const offered = ran.stdout.match(/^ +\d+ {2}.*$/gm)!;
    expect(offered[0]).toContain('1  rehearsal/script        a script in place of a model: no key, no bill');
    const { entries, prices } = openCatalogue();
    for (const line of offered.slice(1)) {
      const [, name, needs] =
        /^ +\d+ {2}(\S+) +\$[\d.]+ in, \$[\d.]+ out(, needs ANTHROPIC_API_KEY)?$/.exec(line) ?? [];
      expect(
        entries.some(({ vendor, model }) => name === (vendor === 'anthropic' ? model : `${vendor}/${model}`)),
      ).toBe(true);
      expect(needs === undefined).toBe(name!.startsWith('openai/'));
    }
    expect(ran.stdout).toContain(`as of ${prices.file.source.published}; animus models lists all`);
    expect(ran.stdout).toContain('Model, by its number or its name [openai/gpt-6-sol]: ');
    expect((await loaded('engineer'))?.engage.model).toBe(/6 {2}(\S+)/.exec(ran.stdout)![1]);
    const wrong = await run(['init', 'other'], { cwd, terminal: 100, typed: ['77'] });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('expected a number from 1 to')]);
    expect(existsSync(join(cwd, 'other/animus.toml'))).toBe(false);
  });

  test.each([
    ['claude-sonet-4-5', 'claude-sonet-4-5 is not in the catalogue (did you mean claude-sonnet-4-5?)'],
    ['openai/gtp-5', 'openai/gtp-5 is not in the catalogue (did you mean openai/gpt-5?)'],
    ['opneai/gpt-5', 'opneai/gpt-5 needs a table [providers.opneai] in animus.toml (did you mean openai?)'],
    ['claude-sonnet-4-5', null],
    ['claude-sonnet-4-5-20250929', null],
  ])('says what may be wrong with the model %s, and where to change it', async (model, remark) => {
    const ran = await run(['init', '--model', model], { cwd, env: { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' } });
    expect(ran.code).toBe(0);
    if (remark === null) expect(ran.stderr).toBe('');
    else expect(ran.stderr).toContain(remark);
    if (remark !== null)
      expect(ran.stderr).toContain('edit model in faculties/engineer.toml and faculties/assistant.toml');
    const { remarks } = JSON.parse((await run(['init', '--model', model, '--json'], { cwd })).stdout);
    expect(remarks).toEqual(remark === null ? [] : [expect.stringContaining(remark)]);
    writeFileSync(join(cwd, 'animus.toml'), '[providers.opneai]\nkind = "openai"\n');
    const configured = JSON.parse((await run(['init', '--model', model, '--json'], { cwd })).stdout);
    expect(configured.remarks).toEqual(model.startsWith('opneai') ? [] : remarks);
  });

  test.each([
    ['package.json', '{"scripts": {"test": "vitest run"}}', 'npm test'],
    ['package.json', '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}', null],
    ['package.json', 'not json', null],
    ['Cargo.toml', '', 'cargo test'],
    ['pyproject.toml', '', 'python3 -m pytest'],
  ])('finds out from %s holding %j how the tests run: %s', async (file, content, expected) => {
    writeFileSync(join(cwd, file), content);
    const ran = await run(['init', '--json'], { cwd });
    expect(JSON.parse(ran.stdout).test).toBe(expected);
    const prompt = readFileSync(join(cwd, 'faculties/prompts/engineer.md'), 'utf8');
    expect(prompt).toContain(expected === null ? 'Find out how this project is tested' : `\`${expected}\``);
  });

  test.each([
    [['--name', 'No Name'], '--name: expected'],
    [['--model', 'two words'], '--model: expected'],
  ])('refuses %j before it writes anything', async (argv, message) => {
    const ran = await run(['init', ...argv], { cwd });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(join(cwd, 'animus.toml'))).toBe(false);
  });

  test.each([
    [['', 'smith', 'make check'], { model: 'rehearsal/script', name: 'smith', test: 'make check' }],
    [['claude-sonnet-4-5', '', ''], { model: 'claude-sonnet-4-5', name: 'engineer', test: null }],
    [['4'], { model: 'claude-sonnet-5-5', name: 'engineer', test: null }],
    [['openai/gpt-5'], { model: 'openai/gpt-5', name: 'engineer', test: null }],
  ])('on a terminal asks three questions; %j', async (typed, expected) => {
    const ran = await run(['init'], { cwd, terminal: 80, typed });
    expect(ran.stdout.match(/\[[^\]]*\]: /g)).toHaveLength(3);
    const faculty = await loaded(expected.name);
    expect(faculty?.engage.model).toBe(expected.model);
    if (expected.test !== null) expect(faculty?.engage.systemPrompt).toContain(`\`${expected.test}\``);
  });

  test('writes nothing when it is interrupted at a question', async () => {
    const interrupts = createInterrupts(systemClock);
    const running = run(['init'], { cwd, terminal: 80, typed: [], interrupts });
    setImmediate(() => interrupts.receive('SIGINT'));
    expect(await running).toMatchObject({ code: 130 });
    expect(existsSync(join(cwd, 'animus.toml'))).toBe(false);
  });

  test('refuses a file in place of the directory', async () => {
    writeFileSync(join(cwd, 'file'), '');
    const stderr = expect.stringContaining(`${join(cwd, 'file')} cannot be used: EEXIST`);
    expect(await run(['init', 'file'], { cwd })).toMatchObject({ code: 2, stderr });
  });
});

function repository(): void {
  git('init', '-q');
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src/a.txt'), 'a');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first');
}

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd });
}

async function loaded(name: string) {
  const config = loadConfig({ env: { HOME: cwd }, cwd });
  const { faculties, problems } = await loadRunnableFaculties(join(cwd, 'faculties'), config);
  expect(problems).toEqual([]);
  return faculties.get(name);
}
