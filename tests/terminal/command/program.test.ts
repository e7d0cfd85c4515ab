import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMAND_GROUPS, featureGroup } from '../../../src/cli/command-groups.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { addCommand } from '../../../src/terminal/command/command.ts';
import type { AddOperation } from '../../../src/terminal/command/operation-command.ts';
import { run } from '../../cli/run-cli.ts';
import { leaves } from './leaves.ts';

const PAGE = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const COMMON = ['--json', '--config', '--help'];
const program = await buildProgram(() => async () => {}, { stdout: { write: () => {} } });
const commands = leaves(program);

describe('docs/cli.md', () => {
  test('describes exactly the existing commands, with their arguments', () => {
    const documented = [...PAGE.matchAll(/^### `animus (.*)`$/gm)].map(([, usage]) => usage);
    expect(new Set(documented)).toEqual(new Set(commands.map(({ usage }) => usage)));
  });

  test.each(commands)('lists every option of $usage, and no other', ({ usage, command }) => {
    const section = PAGE.split(`### \`animus ${usage}\`\n`)[1]?.split(/^##/m)[0] ?? '';
    const own = command.options.filter((option) => !COMMON.includes(option.long ?? ''));
    const documented = [...section.matchAll(/`(--[a-z-]+(?: [<[][a-z]+[>\]])?)`/g)].map(([, flags]) => flags);
    expect(new Set(documented)).toEqual(new Set(own.map((option) => option.flags)));
  });
});

describe('the groups of commands', () => {
  test.each(COMMAND_GROUPS)('$names are the names that the group adds', async ({ names, load }) => {
    const bare = new Command('animus');
    const find = () => Promise.resolve(bare);
    (await load())(bare, () => async () => {}, find);
    expect(bare.commands.map((command) => command.name())).toEqual(names);
  });

  test('a feature may have groups, single commands, and commands in the group of another', async () => {
    const add = (usage: string): AddOperation => {
      return (parent) => void addCommand(parent, usage, { summary: `to ${usage}`, examples: [] });
    };
    const feature = {
      name: 'walls',
      operations: async () => [],
      commands: {
        wall: { summary: 'walls', load: async () => [add('paint'), add('move')] },
        lean: { load: async () => add('lean [wall]') },
      },
    };
    const other = { ...feature, commands: { wall: { load: async () => [add('hang')] } } };
    const bare = new Command('animus');
    for (const [name, of] of [
      ['wall', feature],
      ['lean', feature],
      ['wall', other],
    ] as const) {
      const load = await featureGroup(name, async () => of).load();
      load(
        bare,
        () => async () => {},
        async () => bare,
      );
    }
    const shown = bare.commands.map((each) => [each.name(), each.description(), each.commands.length]);
    expect(shown).toEqual([
      ['wall', 'walls', 3],
      ['lean', 'to lean [wall]', 0],
    ]);
  });

  test('that a line does not begin with have only their names', async () => {
    const one = await buildProgram(() => async () => {}, { stdout: { write: () => {} } }, ['status', '--json']);
    expect(one.commands.map((command) => command.name())).toEqual(program.commands.map((command) => command.name()));
    const described = one.commands.filter((command) => command.description() !== '');
    expect(described.map((command) => command.name())).toEqual(['status']);
  });
});

describe('a command', () => {
  test.each(commands)('$usage has help with examples, and --json', async ({ path, command }) => {
    const { code, stdout } = await run([...path, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: animus ${path.join(' ')}`);
    expect(stdout).toMatch(/Examples:\n {2}.*animus /);
    expect(command.options.map((option) => option.long)).toContain('--json');
  });

  test('prints its help if it is called without a subcommand', async () => {
    const { code, stdout, stderr } = await run([]);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: animus');
    expect(stderr).toBe('');
  });

  test.each([
    [['wrok'], "unknown command 'wrok' (Did you mean work?)"],
    [['work'], 'no command given'],
    [['work', 'submit'], "missing required argument 'faculty'"],
    [['work', 'list', '--stat', 'x'], "unknown option '--stat' (Did you mean --state?)"],
    [
      ['work', 'list', '--limit', '0'],
      '--limit: expected a whole number from 1 to 10000, got "0"; see: animus work list --help',
    ],
    [['work', 'show', 'a', 'b'], 'too many arguments'],
    [['chat', 'send', 'hello', '--resume', 'abcd'], "unknown option '--resume'; see: animus chat send --help"],
    [['--config', 'x', 'status'], '--config goes after the command; see: animus --help'],
  ])('line %j is a usage error: %s', async (argv, expected) => {
    const { code, stdout, stderr } = await run(argv);
    expect(stderr).toContain(expected);
    expect(stderr.startsWith('animus: ')).toBe(true);
    expect([code, stdout]).toEqual([2, '']);
    const json = await run([...argv, '--json']);
    if (argv.length > 0) expect(JSON.parse(json.stderr).error.code).toBe('usage.invalid');
  });
});
