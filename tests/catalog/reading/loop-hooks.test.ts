import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { loadFaculties } from '../../../src/catalog/faculties.ts';
import { isForTool, type LoopHooks } from '../../../src/catalog/faculty/loop-hooks.ts';
import { readHooksDirectory } from '../../../src/catalog/reading/hooks-directory.ts';
import { loadRunnableFaculties } from '../../../src/daemon/reload/load-faculties.ts';
import { keepLastGood } from '../../../src/daemon/reload/reload.ts';
import { toolTable } from '../../../src/tools/known-tools.ts';

const FACULTY = '[faculty]\nname = "x"\n[faculty.engage]\nmodel = "m"\nsystem_prompt = "p"\n';

function place() {
  const directory = mkdtempSync(join(tmpdir(), 'loop-hooks-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const write = (name: string, text = '#!/bin/sh\n', mode = 0o755) => {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };
  return { directory, write };
}

/** A faculty with these hooks beside the executables `a` and `b`. */
function read(hooks: string, sharedHooks?: LoopHooks) {
  const { directory, write } = place();
  write('a');
  write('b');
  write('x.toml', FACULTY + hooks, 0o644);
  const found = loadFaculties(directory, {
    toolNames: [],
    toolKinds: new Map(Object.entries(toolTable().kinds)),
    ...(sharedHooks && { sharedHooks }),
  });
  return { directory, faculty: found.faculties.get('x'), problems: found.problems.map(({ message }) => message) };
}

describe('[faculty.hooks]', () => {
  test('lists hooks for each event, with settings of its own or of all', () => {
    const { directory, faculty, problems } = read(`
[faculty.hooks]
timeout_seconds = 5
before_llm_call = [{ command = "./a", args = ["-x"] }]
before_tool_call = [{ command = "./a", tools = ["bash", "write_*", "m*_read"] }, { command = "./a", on_error = "allow", timeout_seconds = 1 }]
[[faculty.hooks.after_tool_call]]
command = "./b"`);
    expect(problems).toEqual([]);
    const hook = {
      name: 'a',
      command: join(directory, 'a'),
      args: [],
      timeoutSeconds: 5,
      onError: 'block',
      tools: null,
    };
    expect(faculty?.hooks).toEqual({
      before_llm_call: [{ ...hook, args: ['-x'] }],
      before_tool_call: [
        { ...hook, tools: ['bash', 'write_*', 'm*_read'] },
        { ...hook, name: 'a#2', onError: 'allow', timeoutSeconds: 1 },
      ],
      after_tool_call: [{ ...hook, name: 'b', command: join(directory, 'b') }],
    });
    expect(faculty?.files).toEqual([join(directory, 'a'), join(directory, 'b')]);
  });

  test.each([
    [
      'before_tool_call = [{ command = "./none" }]',
      ':7: faculty.hooks.before_tool_call: hook 1: ',
      'none does not exist',
    ],
    [
      'before_tool_call = [{ command = "./a", tools = ["bsh"] }]',
      'hook 1: no tool named "bsh" (did you mean bash?)',
      '',
    ],
    ['before_llm_call = [{ command = "./a", tools = ["bash"] }]', 'tools is for hooks of tool calls', ''],
    ['after_tool_call = [{ command = "./a", tools = ["ledger_append"] }]', 'recorded together with its effect', ''],
    ['after_tool_call = [{ command = "./a", tool = ["bash"] }]', 'unknown key (did you mean tools?)', ''],
    ['after_tool_call = [{ args = [] }]', 'faculty.hooks.after_tool_call[0].command: expected a program', ''],
    ['before_tool_call = [{ command = "./a", tools = ["bsh*"] }]', 'hook 1: no tool matches "bsh*"', ''],
    ['before_tool_call = [{ command = "./a", tools = ["mcp_disk_read"] }]', 'no MCP server named "disk"', ''],
    ['on_error = "ignore"', 'expected "block" or "allow", got "ignore"', ''],
    ['before_tool_call = [{ command = "./a -x" }]', 'write command = "./a" and args = ["-x"]', ''],
  ])('is refused with %j', (hooks, ...expected) => {
    const { faculty, problems } = read(`[faculty.hooks]\n${hooks}\n`);
    for (const words of expected) expect(problems.join('\n')).toContain(words);
    expect(problems).toHaveLength(1);
    expect(faculty).toBeUndefined();
  });

  test('is refused in mode external, which has no loop', () => {
    const { directory, write } = place();
    write('a');
    write(
      'x.toml',
      '[faculty]\nname = "x"\n[faculty.engage]\nmode = "external"\ncommand = "./a"\n[faculty.hooks]\n',
      0o644,
    );
    const { problems } = loadFaculties(directory, { toolNames: [] });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('faculty.hooks: is only for the built-in loop'),
    ]);
  });
});

test.each([
  ['bash', 'bash', true],
  ['bash', 'bashful', false],
  ['*', 'anything', true],
  ['*_file', 'edit_file', true],
  ['*_file', 'edit_files', false],
  ['mcp__*__read*', 'mcp__disk__read_all', true],
  ['a*a', 'a', false],
  ['a*b*b', 'ab', false],
  ['a.b', 'aXb', false],
])('the pattern %j and the tool %j: %j', (pattern, tool, expected) => {
  expect(isForTool({ tools: ['other', pattern] }, tool)).toBe(expected);
});

describe('the hooks directory', () => {
  test('has a hook for each visible file of an event, in the order of names; they run after those of the faculty', () => {
    const { directory, write } = place();
    write('before_tool_call/20-b');
    write('before_tool_call/10-a');
    write('before_tool_call/.README', 'about', 0o644);
    write('after_tool_call/a');
    const { hooks, problems } = readHooksDirectory(directory);
    expect(problems).toEqual([]);
    expect(hooks.before_tool_call.map(({ command }) => command.slice(directory.length))).toEqual([
      '/before_tool_call/10-a',
      '/before_tool_call/20-b',
    ]);
    expect(hooks.before_tool_call[0]).toMatchObject({
      name: '10-a',
      onError: 'block',
      tools: null,
      timeoutSeconds: 30,
    });
    const { faculty } = read('[faculty.hooks]\nafter_tool_call = [{ command = "./a" }]\n', hooks);
    expect(faculty?.hooks?.after_tool_call.map(({ name }) => name)).toEqual(['a', 'a#2']);
    expect(faculty?.files).toContain(join(directory, 'before_tool_call/10-a'));
  });

  test('may be missing where no one asked for it, and must exist where animus.toml names it', () => {
    expect(readHooksDirectory('/nowhere/hooks.d')).toMatchObject({ problems: [] });
    expect(readHooksDirectory('/nowhere/hooks.d', true).problems[0]?.message).toContain('does not exist');
  });

  test('with a file that is not a hook stops every faculty with a loop, for a call must not run without its hooks', async () => {
    const { directory, write } = place();
    const file = write('hooks/before_tool_call/check.py', '#!/bin/sh\n', 0o644);
    write('faculties/x.toml', FACULTY, 0o644);
    write('work.sh');
    write(
      'faculties/y.toml',
      '[faculty]\nname = "y"\n[faculty.engage]\nmode = "external"\ncommand = "../work.sh"\n',
      0o644,
    );
    write('animus.toml', '[hooks]\ndirectory = "hooks"\n', 0o644);
    const config = loadConfig({ env: { HOME: directory, ANTHROPIC_API_KEY: 'k' }, cwd: directory });
    const { faculties, problems } = await loadRunnableFaculties(join(directory, 'faculties'), config);
    expect([...faculties.keys()]).toEqual(['y']);
    expect(problems.map(({ message }) => message)).toEqual([
      `${file}: hooks.directory: is not executable; run: chmod +x ${file}, or let its name begin with a dot`,
      expect.stringContaining(`x.toml: hooks.directory: ${file} has a problem`),
    ]);
  });

  test('that gets a problem while a daemon runs leaves it the last good version of each faculty', async () => {
    const { directory, write } = place();
    const file = write('home/hooks.d/before_tool_call/check.py');
    write('faculties/x.toml', FACULTY, 0o644);
    const env = { HOME: directory, ANIMUS_HOME: join(directory, 'home'), ANTHROPIC_API_KEY: 'k' };
    const config = loadConfig({ env, cwd: directory });
    const load = () => loadRunnableFaculties(join(directory, 'faculties'), config);
    const before = await load();
    chmodSync(file, 0o644);
    const after = keepLastGood(before, await load());
    expect(after.problems).toHaveLength(2);
    expect(after.faculties.get('x')?.hooks?.before_tool_call).toMatchObject([{ command: file }]);
  });

  test('refuses what anybody could change, other events, and files in place of directories', () => {
    const { directory, write } = place();
    write('before_tool_call/a', '#!/bin/sh\n', 0o777);
    write('before_tool_cal/a');
    write('after_tool_call', 'text', 0o644);
    mkdirSync(join(directory, 'before_llm_call/inner'), { recursive: true });
    const messages = readHooksDirectory(directory).problems.map(({ message }) => message.slice(directory.length + 1));
    expect(messages).toEqual([
      expect.stringContaining('before_tool_cal: hooks.directory: is not an event; the events are before_llm_call,'),
      expect.stringContaining('before_llm_call/inner: hooks.directory: is not a file'),
      expect.stringContaining('before_tool_call/a: hooks.directory: can be changed by every user; run chmod o-w on it'),
      expect.stringContaining('after_tool_call: hooks.directory: is not a directory'),
    ]);
  });

  test.skipIf(process.getuid?.() !== 0)('refuses hooks of other users', () => {
    const { directory, write } = place();
    chownSync(write('before_tool_call/a'), 12_345, 0);
    expect(readHooksDirectory(directory).problems[0]?.message).toContain('belongs to another user (uid 12345)');
  });
});
