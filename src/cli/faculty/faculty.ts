/** `animus faculty …`: lists, shows, checks, tests and adds faculty files. Each command is loaded when it runs: what the others need takes longer than a list. */
import type { Command } from 'commander';
import { addCommand, addGroup, lazily, type RunCommand } from '../../terminal/command/command.ts';
import { FACULTIES_OPTION } from '../../terminal/command/faculties-directory.ts';
import { SKILLS_OPTION } from '../../terminal/command/skills-directories.ts';

/** Adds `animus faculty list|show|check|test|add`. */
export function addFacultyCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'faculty', 'agents, described in TOML files');
  addCommand(group, 'list', {
    summary: 'list the faculties that loaded without problems',
    examples: ['animus faculty list', 'animus faculty list --faculties ./agents --json'],
  })
    .option(...FACULTIES_OPTION)
    .action(run(lazily(async () => (await import('./faculty-list.ts')).listFaculties)));
  addCommand(group, 'show <faculty>', {
    summary:
      'show the effective settings of a faculty and where each comes from, its models and skills, and how bash is isolated',
    examples: ['animus faculty show engineer', 'animus faculty show engineer --json'],
  })
    .option(...FACULTIES_OPTION)
    .option(...SKILLS_OPTION)
    .action(run(lazily(async () => (await import('./faculty-show.ts')).showFaculty)));
  addCommand(group, 'check [names...]', {
    summary: 'check the faculty files and report every problem; exits 2 when there is one',
    examples: ['animus faculty check', 'animus faculty check engineer', 'animus faculty check engineer --pin'],
  })
    .option('--mcp', 'start the MCP servers and compare their tools with those that were pinned')
    .option('--pin', 'the same, and pin the tools as they are now, so that the model may call them')
    .option(...FACULTIES_OPTION)
    .action(run(lazily(async () => (await import('./faculty-check.ts')).checkFaculties)));
  addCommand(group, 'test <faculty> <script>', {
    summary:
      'run a faculty with a script in place of the model, in a scratch directory and database; exits 0 when it completed',
    examples: [
      'animus faculty test engineer fix.toml --workspace ./sample',
      'animus faculty test clerk rate-limit.toml --description "Close the books" --params \'{"year": 2026}\'',
    ],
  })
    .option('--workspace <dir>', 'work in a copy of this directory (default: an empty one)')
    .option('--description <text>', 'the task of the work item')
    .option('--params <json>', 'a JSON object, or @file')
    .option(...FACULTIES_OPTION)
    .action(run(lazily(async () => (await import('./faculty-test.ts')).testCommand)));
  addCommand(group, 'add [shipped...]', {
    summary:
      'copy faculties that come with animus into your project, with everything they need; without a name, list them',
    arguments: { shipped: 'names of faculties that come with animus' },
    examples: [
      'animus faculty add',
      'animus faculty add reviewer',
      'animus faculty add researcher --faculties ./agents',
    ],
  })
    .option('--list', 'list the faculties that come with animus')
    .option('--force', 'replace existing files that differ')
    .option(
      '--faculties <dir>',
      'directory that gets them (default: ./faculties, or ANIMUS_HOME/faculties if only that exists)',
    )
    .action(run(lazily(async () => (await import('./faculty-add.ts')).addFaculties)));
}
