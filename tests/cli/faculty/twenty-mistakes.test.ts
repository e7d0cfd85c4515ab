import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../run-cli.ts';

/** A valid engage table, to which a mistake may be added. */
const ENGAGE = '[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "p"\n';
const named = (name: string, more = '') => `[faculty]\nname = "${name}"\n${more}`;

interface Mistake {
  readonly file: string;
  readonly text: string;
  readonly line: number;
  readonly key: string | null;
  /** What is expected, and the actual value. */
  readonly says: readonly string[];
}

const MISTAKES: readonly Mistake[] = [
  mistake('broken-toml', `${named('a')}description = Fixes it\n${ENGAGE}`, 3, null, ['invalid TOML', 'invalid value']),
  mistake('twice', `${named('b')}name = "c"\n${ENGAGE}`, 3, null, ['invalid TOML', 'redefine']),
  mistake('unknown-key', named('d', `max_concurent = 2\n${ENGAGE}`), 3, 'faculty.max_concurent', [
    'did you mean max_concurrent?',
  ]),
  mistake('wrong-table', named('e', `max_turns = 2\n${ENGAGE}`), 3, 'faculty.max_turns', [
    'it belongs in [faculty.engage]',
  ]),
  mistake('wrong-type', named('f', `concurrent = "no"\n${ENGAGE}`), 3, 'faculty.concurrent', [
    'expected true or false',
    'got "no"',
  ]),
  mistake('wrong-unit', named('g', `run_deadline_seconds = "30 min"\n${ENGAGE}`), 3, 'faculty.run_deadline_seconds', [
    'expected seconds from 1 to 604800',
    'got "30 min"',
  ]),
  mistake('out-of-range', named('h', `${ENGAGE}compact_threshold = 70\n`), 6, 'faculty.engage.compact_threshold', [
    'expected a number from 0.1 to 1',
    'got 70',
  ]),
  mistake(
    'negative',
    named('i', `${ENGAGE}[faculty.recover]\nbase_seconds = -5\n`),
    7,
    'faculty.recover.base_seconds',
    ['expected seconds from 0', 'got -5'],
  ),
  mistake('wrong-word', named('j', `isolation = "container"\n${ENGAGE}`), 3, 'faculty.isolation', [
    '"directory" or "none" or "worktree"',
    'got "container"',
  ]),
  mistake('bad-name', named('My Agent', ENGAGE), 2, 'faculty.name', [
    'expected 1 to 63 lower-case letters',
    'got "My Agent"',
  ]),
  mistake('no-tool', named('k', `${ENGAGE}tools = ["bsh"]\n`), 6, 'faculty.engage.tools', [
    'no tool named "bsh"',
    'did you mean bash?',
  ]),
  mistake(
    'no-prompt-file',
    named('l', '[faculty.engage]\nmodel = "m"\nsystem_prompt_file = "prompts/none.md"\n'),
    5,
    'faculty.engage.system_prompt_file',
    ['prompts/none.md cannot be read', 'no such file'],
  ),
  mistake(
    'empty-prompt',
    named('m', '[faculty.engage]\nmodel = "m"\nsystem_prompt_file = "prompts/empty.md"\n'),
    5,
    'faculty.engage.system_prompt_file',
    ['prompts/empty.md is empty'],
  ),
  mistake(
    'no-hook',
    named('n', `${ENGAGE}[faculty.orient]\ncommand = "hooks/none.sh"\n`),
    7,
    'faculty.orient.command',
    ['none.sh does not exist'],
  ),
  mistake(
    'hook-not-executable',
    named('o', `${ENGAGE}[faculty.consolidate]\ncommand = "hooks/plain.sh"\n`),
    7,
    'faculty.consolidate.command',
    ['is not executable', 'chmod +x'],
  ),
  mistake('no-repo', named('p', `isolation = "worktree"\nrepo = "nowhere"\n${ENGAGE}`), 4, 'faculty.repo', [
    'nowhere cannot be used on this machine',
    'no such file',
  ]),
  mistake(
    'no-provider',
    named('q', '[faculty.engage]\nmodel = "antropic/claude-sonnet-4-5"\nsystem_prompt = "p"\n'),
    4,
    'faculty.engage.model',
    ['no provider named antropic', 'did you mean anthropic?'],
  ),
  mistake(
    'unknown-model',
    named('r', '[faculty.engage]\nmodel = "claude-sonet-4-5"\nsystem_prompt = "p"\n'),
    4,
    'faculty.engage.model',
    ['expected a model of the catalogue', 'got "claude-sonet-4-5" (did you mean claude-sonnet-4-5?)'],
  ),
  mistake('skills', named('s', `${ENGAGE}[faculty.skills]\noffered = ["a b"]\n`), 7, 'faculty.skills.offered[0]', [
    'the name of a skill, or *',
    'a b',
  ]),
  mistake('skill-tool', named('z', `${ENGAGE}tools = ["activate_skill"]\n`), 6, 'faculty.engage.tools', [
    'activate_skill comes with skills: remove it from the list',
  ]),
  mistake('child-tool', named('zc', `${ENGAGE}tools = ["spawn_child_work"]\n`), 6, 'faculty.engage.tools', [
    'spawn_child_work comes with [faculty.children]: remove it from the list',
  ]),
  mistake('same-name', named('engineer', ENGAGE), 2, 'faculty.name', [
    '"engineer" is also the name in',
    'a-sound-one.toml:2',
  ]),
  mistake(
    'no-temperature',
    named('t', '[faculty.engage]\nmodel = "openai/gpt-5"\nsystem_prompt = "p"\ntemperature = 0.5\n'),
    6,
    'faculty.engage.temperature',
    ['openai/gpt-5 accepts no temperature', 'got 0.5'],
  ),
  mistake(
    'broken-schema',
    named('u', `${ENGAGE}outcome_schema = "schemas/broken.json"\n`),
    6,
    'faculty.engage.outcome_schema',
    ['schemas/broken.json is not valid JSON'],
  ),
  mistake('two-limits', named('v', `concurrent = false\nmax_concurrent = 3\n${ENGAGE}`), 3, 'faculty.concurrent', [
    'max_concurrent is also set',
  ]),
];

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mistakes-'));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(cwd, 'faculties', name)), { recursive: true });
    writeFileSync(join(cwd, 'faculties', name), text);
  };
  for (const { file, text } of MISTAKES) write(file, text);
  write('a-sound-one.toml', named('engineer', ENGAGE));
  write('b-sound-one.toml', named('clerk', `${ENGAGE}tools = ["bash"]\n`));
  write('prompts/empty.md', ' \n');
  write('hooks/plain.sh', '#!/bin/sh\n');
  chmodSync(join(cwd, 'faculties/hooks/plain.sh'), 0o644);
  write('schemas/broken.json', '{"type": "object",}');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const animus = (...argv: string[]) => run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') } });

interface Found {
  readonly file: string;
  readonly line: number | null;
  readonly key: string | null;
  readonly message: string;
}

describe('faculty check on a directory with many different mistakes', () => {
  test('reports each once, and nothing else', async () => {
    const { code, stdout } = await animus('faculty', 'check', '--json');
    const { problems, remarks, faculties } = JSON.parse(stdout) as Record<'problems' | 'remarks', Found[]> & {
      faculties: string[];
    };
    expect(code).toBe(2);
    expect(faculties).toEqual(['clerk', 'r']);
    expect(problems.length + remarks.length).toBe(MISTAKES.length);
    expect(MISTAKES.length).toBeGreaterThanOrEqual(20);
  });

  test.each(MISTAKES)('reports file, line, key, expectation and value of $file', async ({ file, line, key, says }) => {
    const { stdout } = await animus('faculty', 'check', '--json');
    const { problems, remarks } = JSON.parse(stdout) as Record<'problems' | 'remarks', Found[]>;
    const of = [...problems, ...remarks].filter((each) => each.file === join(cwd, 'faculties', file));
    expect(of).toHaveLength(1);
    expect(of[0]).toMatchObject({ line, key });
    const { message } = of[0]!;
    expect(message).toMatch(new RegExp(`^${join(cwd, 'faculties', file)}:${line}: `));
    if (key !== null) expect(message).toContain(`: ${key}: `);
    for (const piece of says) expect(message.toLowerCase()).toContain(piece.toLowerCase());
    expect((await animus('faculty', 'check')).stdout).toContain(message);
  });

  test("shows the isolation of a valid faculty's commands, and warns about a doubtful model", async () => {
    const { stdout } = await animus('faculty', 'check');
    expect(stdout).toMatch(/^ok {7}clerk .*\n {9}bash and hooks run /m);
    expect(stdout).toMatch(/^remark {3}.*unknown-model\.toml:4: /m);
  });
});

function mistake(name: string, text: string, line: number, key: string | null, says: readonly string[]): Mistake {
  return { file: `${name}.toml`, text, line, key, says };
}
