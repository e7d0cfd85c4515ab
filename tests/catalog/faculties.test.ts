import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadFaculties } from '../../src/catalog/faculties.ts';
import { REFUSALS } from './refusals.ts';

const MINIMAL = `
[faculty]
name = "engineer"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "You fix code."
`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'faculties-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a faculty', () => {
  test('gets every default', () => {
    const { faculties, problems } = load({ 'engineer.toml': MINIMAL });
    expect(problems).toEqual([]);
    expect(faculties.get('engineer')).toMatchObject({
      maxConcurrent: null,
      dedupUntil: 'resolved',
      runDeadlineSeconds: 3600,
      maxMemoryMib: null,
      maxProcesses: null,
      isolation: 'directory',
      workspace: null,
      caches: [],
      orient: null,
      consolidate: null,
      engage: { mode: 'builtin', tools: [], maxTurns: 100, maxTokens: 8192, maxParallelTools: 8, temperature: null },
      recover: { maxAttempts: 3, backoff: 'exponential', baseSeconds: 10, maxSeconds: 900 },
    });
  });

  test('is frozen, survives JSON, and knows the line of each value', () => {
    const faculty = load({ 'engineer.toml': MINIMAL }).faculties.get('engineer');
    expect(JSON.parse(JSON.stringify(faculty))).toEqual(faculty);
    expect(Object.isFrozen(faculty?.engage.tools)).toBe(true);
    expect(faculty?.origins['engage.model']).toBe(`${join(directory, 'engineer.toml')}:5`);
  });

  test('resolves prompt, hooks and workspace relative to its file', () => {
    write('prompts/engineer.md', 'You fix code.\n');
    write('hooks/verify', '#!/bin/sh\n', 0o755);
    mkdirSync(join(directory, 'repo'));
    const { faculties, problems } = load({
      'engineer.toml': `
        [faculty]
        name = "engineer"
        concurrent = false
        workspace = "repo"
        [faculty.orient]
        command = "git"
        args = ["status", ""]
        [faculty.engage]
        model = "local/qwen3"
        system_prompt_file = "prompts/engineer.md"
        tools = ["read_file", "bash"]
        parallel_tool_execution = false
        [faculty.consolidate]
        command = "./hooks/verify"
        timeout_seconds = 2.5`,
    });
    expect(problems).toEqual([]);
    expect(faculties.get('engineer')).toMatchObject({
      maxConcurrent: 1,
      workspace: join(directory, 'repo'),
      orient: { command: 'git', args: ['status', ''], timeoutSeconds: 60 },
      engage: { systemPrompt: 'You fix code.\n', tools: ['read_file', 'bash'], maxParallelTools: 1 },
      consolidate: { command: join(directory, 'hooks/verify'), args: [], timeoutSeconds: 2.5 },
    });
  });
});

describe('a directory of faculties', () => {
  test('reports every problem of every file, and keeps the valid ones', () => {
    const { faculties, problems } = load({
      'a.toml': MINIMAL,
      'b.toml': '[faculty]\nname = "Bad Name"\nmax_turns = 3\n[faculty.engage]\nmodel = "m"\ntools = ["read_fil"]\n',
      'c.toml': 'name = = 3',
      'd.toml': '[faculty]\nname = "d"\non_duplicate = "shout"\n[faculty.orient]\nauto_activate_skills = 3\n',
      '.hidden.toml': 'nonsense',
      'notes.md': 'nonsense',
    });
    expect([...faculties.keys()]).toEqual(['engineer']);
    expect(problems.map(({ message }) => message.replace(`${directory}/`, '')).toSorted()).toEqual([
      'b.toml:2: faculty.name: expected 1 to 63 lower-case letters, digits, - and _, starting with a letter, got "Bad Name"',
      'b.toml:3: faculty.max_turns: unknown key (it belongs in [faculty.engage])',
      'b.toml:4: faculty.engage: needs system_prompt or system_prompt_file',
      'b.toml:6: faculty.engage.tools: no tool named "read_fil" (did you mean read_file?)',
      expect.stringMatching(/^c\.toml:1: invalid TOML: /),
      'd.toml:1: faculty.engage: expected a table, got nothing',
      'd.toml:3: faculty.on_duplicate: expected "merge" or "tell", got "shout"',
      'd.toml:5: faculty.orient.auto_activate_skills: expected true or false, got 3',
    ]);
  });

  test('loads neither of two files with the same name', () => {
    const { faculties, problems } = load({ 'a.toml': MINIMAL, 'b.toml': MINIMAL });
    expect(faculties.size).toBe(0);
    expect(problems).toMatchObject([{ code: 'config.conflict', file: join(directory, 'b.toml'), key: 'faculty.name' }]);
  });

  test.skipIf(process.platform === 'win32')(
    'reports pipes, devices and huge files as problems without blocking',
    () => {
      load({ 'good.toml': MINIMAL, 'huge.toml': '# '.repeat(600_000) });
      spawnSync('mkfifo', [join(directory, 'pipe.toml')]);
      symlinkSync('/dev/zero', join(directory, 'zero.toml'));
      mkdirSync(join(directory, 'folder.toml'));
      const { faculties, problems } = loadFaculties(directory, { toolNames: [] });
      expect(faculties.size).toBe(1);
      expect(problems.map(({ message }) => message.slice(directory.length + 1))).toEqual([
        expect.stringContaining('folder.toml'),
        expect.stringMatching(/^huge\.toml.* has 1200000 bytes; at most 1048576 are read/),
        expect.stringMatching(/^pipe\.toml.* is not a regular file/),
        expect.stringMatching(/^zero\.toml.* is not a regular file/),
      ]);
    },
  );

  test('reports a missing directory as a problem, and accepts an empty one', () => {
    expect(load({}).problems).toEqual([]);
    rmSync(directory, { recursive: true });
    expect(loadFaculties(directory, { toolNames: [] }).problems).toMatchObject([{ code: 'config.unreadable' }]);
  });
});

describe('a faculty is refused', () => {
  test.each(REFUSALS)('with %j and %j', (top, engage, expected) => {
    const text = MINIMAL.replace('[faculty]', `[faculty]\n${top}`).concat(engage, '\n');
    const { faculties, problems } = load({ 'x.toml': text });
    expect(problems.map(({ message }) => message).join('\n')).toContain(expected);
    expect(problems).toHaveLength(1);
    expect(faculties.size).toBe(0);
  });

  test('in mode code, keys of a model; its own keys need no code_execution', () => {
    const head = '[faculty]\nname = "x"\n[faculty.engage]\n';
    const messages = (text: string) => load({ 'x.toml': head + text }).problems.map(({ message }) => message);
    expect(messages('mode = "code"\nmodel = "m"\ncode_execution = true\ncommand = "x"\n')).toEqual([
      expect.stringContaining('faculty.engage.model: is only for the built-in loop; remove it with mode = "code"'),
      expect.stringContaining('faculty.engage.code_execution: is only for the built-in loop'),
      expect.stringContaining('faculty.engage.command: is for mode = "external"'),
    ]);
    const own =
      'mode = "code"\ntools = ["read_file"]\nmax_parallel_tools = 2\ncode_execution_timeout = 9\ncode_execution_image = "mine"\n';
    const { faculties, problems } = load({ 'x.toml': head + own });
    expect(problems).toEqual([]);
    expect(faculties.get('x')?.engage).toMatchObject({
      mode: 'code',
      model: '',
      tools: ['read_file'],
      codeExecution: { timeoutSeconds: 9, image: 'mine', memoryMib: 512, cpus: 1, mountsWorkspace: false },
    });
  });

  test('in mode external without a command, with keys of the built-in loop, or without what the loop needs', () => {
    const head = '[faculty]\nname = "x"\n[faculty.engage]\n';
    const messages = (engage: string) => load({ 'x.toml': head + engage }).problems.map(({ message }) => message);
    expect(messages('mode = "external"\nmodel = "m"\ntools = ["bash"]\n')).toEqual([
      expect.stringContaining('faculty.engage: mode = "external" needs command, the program that does the work'),
      expect.stringContaining(
        'x.toml:5: faculty.engage.model: is only for the built-in loop; remove it with mode = "external"',
      ),
      expect.stringContaining('x.toml:6: faculty.engage.tools: is only for the built-in loop'),
    ]);
    expect(messages('mode = "external"\ncommand = "./gone.sh"\n')).toEqual([
      expect.stringContaining('gone.sh does not exist'),
    ]);
    expect(messages('system_prompt = "p"\n')).toEqual([
      expect.stringContaining('faculty.engage.model: expected "model" or "provider/model", got nothing'),
    ]);
    write('work.sh', '#!/bin/sh\n', 0o755);
    const { faculties } = load({ 'x.toml': `${head}mode = "external"\ncommand = "./work.sh"\nargs = ["-q"]\n` });
    expect(faculties.get('x')?.engage).toMatchObject({
      mode: 'external',
      model: '',
      external: { command: join(directory, 'work.sh'), args: ['-q'], timeoutSeconds: 3600 },
    });
  });

  test('with a hook that is not executable, and says how to fix it', () => {
    write('hook.sh', '#!/bin/sh\n', 0o644);
    const { problems } = load({ 'x.toml': `${MINIMAL}[faculty.orient]\ncommand = "./hook.sh"\n` });
    expect(problems[0]?.message).toContain(`is not executable; run: chmod +x ${join(directory, 'hook.sh')}`);
  });

  test('with a provider that the configuration does not have, if the configuration is known', () => {
    write('x.toml', MINIMAL.replace('claude-sonnet-4-5', 'locla/qwen3'));
    const names = { toolNames: [], providerNames: ['anthropic', 'local'] };
    expect(loadFaculties(directory, names).problems[0]?.message).toContain(
      'no provider named locla (did you mean local?)',
    );
    expect(loadFaculties(directory, { toolNames: [] }).problems).toEqual([]);
    write('x.toml', `${MINIMAL}fallback_models = ["m", "lcoal/m"]\n`);
    expect(loadFaculties(directory, names).problems[0]?.message).toContain(
      'faculty.engage.fallback_models: no provider named lcoal (did you mean local?)',
    );
  });

  test('and its problem names the line of the key, even below multi-line strings and arrays that look like tables', () => {
    const text = [
      '[faculty]',
      'name = "x"',
      '[faculty.engage]',
      'model = "m"',
      "system_prompt = '''",
      '[faculty.recover]',
      'max_turns = "no line of a key"',
      "'''",
      'tools = [',
      '  "bash", # ] "',
      '  "nope",',
      ']',
      '"max_turns" = 0',
    ].join('\r\n');
    const { problems } = load({ 'x.toml': text });
    expect(problems.map(({ key, line }) => [key, line])).toEqual([
      ['faculty.engage.max_turns', 13],
      ['faculty.engage.tools', 9],
    ]);
  });
});

function load(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) write(name, text);
  return loadFaculties(directory, { toolNames: ['read_file', 'write_file', 'bash', 'bash_job'] });
}

function write(name: string, text: string, mode = 0o644): void {
  const file = join(directory, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}
