/** The commands of `animus skill` about skills that work has written, and about how skills were used. */
import type { Command } from 'commander';
import { pastMoment, wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';

/** The option of every command that reads the directories. */
export const SKILLS = [
  '--skills <dir>',
  'directory of the skills (default: ./skills, otherwise ANIMUS_HOME/skills)',
] as const;

const version = wholeNumber(1, 1_000_000_000);

/** Adds them to the group. */
export function addWrittenSkillCommands(group: Command, run: RunCommand): void {
  addCommand(group, 'stats [skill]', {
    summary: 'show how often skills were used, and what became of the work, beside other work of the same faculties',
    examples: ['animus skill stats', 'animus skill stats release-notes --since 90d --json'],
  })
    .option('--since <time>', 'a time, or 12h, 30d ago (default: 30d)', pastMoment)
    .action(run(lazily(async () => (await import('./skill-stats.ts')).statsCommand)));
  addCommand(group, 'history <skill>', {
    summary: 'list the versions of a skill that agents have written, with who decided about them',
    examples: ['animus skill history release-notes'],
  }).action(run(lazily(async () => (await import('./skill-history.ts')).historyCommand)));
  addCommand(group, 'diff <skill>', {
    summary: 'show what a version of a skill changes: the proposed one, if one waits, otherwise the current one',
    examples: ['animus skill diff release-notes', 'animus skill diff release-notes --from 1 --to 2'],
  })
    .option('--to <n>', 'this version', version)
    .option('--from <n>', 'compare with this version (default: the one that it was made from)', version)
    .action(run(lazily(async () => (await import('./skill-diff.ts')).diffCommand)));
  addCommand(group, 'approve <skill>', {
    summary:
      'approve the proposed version of a skill: foci can use it from then on; see it first with: animus skill diff',
    examples: ['animus skill approve release-notes --note "checked with Ada"'],
  })
    .option('--note <text>', 'why; it is kept with the decision')
    .option('--hash <hex>', 'refuse if another version waits than the one with this content hash')
    .action(run(lazily(async () => (await import('./skill-decide.ts')).approveCommand)));
  addCommand(group, 'deny <skill>', {
    summary: 'deny the proposed version of a skill: it is kept and never used',
    examples: ['animus skill deny release-notes --note "this is only true of one customer"'],
  })
    .option('--note <text>', 'why; it is kept with the decision')
    .option('--hash <hex>', 'refuse if another version waits than the one with this content hash')
    .action(run(lazily(async () => (await import('./skill-decide.ts')).denyCommand)));
  addCommand(group, 'adopt <skill>', {
    summary: 'let agents improve a skill that a person has written or edited: its files become its current version',
    examples: ['animus skill adopt release-notes --note "keep the list of people up to date"'],
  })
    .option('--note <text>', 'why; it is kept with the decision')
    .option(...SKILLS)
    .action(run(lazily(async () => (await import('./skill-adopt.ts')).adoptCommand)));
  addCommand(group, 'rollback <skill>', {
    summary: 'make an earlier version of a skill current again, as a new version with its files',
    examples: ['animus skill rollback release-notes', 'animus skill rollback release-notes --to 2 --note "3 is wrong"'],
  })
    .option('--to <n>', 'one that was current before (default: the last of these)', version)
    .option('--note <text>', 'why; it is kept with the decision')
    .action(run(lazily(async () => (await import('./skill-decide.ts')).rollbackCommand)));
  addCommand(group, 'archive <skill>', {
    summary: 'stop using a skill that agents have written: daemons delete its files, and its versions stay',
    examples: ['animus skill archive release-notes --note "unused for a month"'],
  })
    .option('--note <text>', 'why; it is kept with the decision')
    .action(run(lazily(async () => (await import('./skill-decide.ts')).archiveCommand)));
}

type CommandOf<Options extends CommonOptions, Name> = (
  invocation: Invocation,
  options: Options,
  name: Name,
) => Promise<number>;

/** A command that loads the database's driver, which `skill list` does not need, when it runs. */
function lazily<Options extends CommonOptions, Name>(
  load: () => Promise<CommandOf<Options, Name>>,
): CommandOf<Options, Name> {
  return async (...given) => (await load())(...given);
}
