/** The commands of `animus skill` that read and write folders. They load what they need when they run: no other command loads the format. */
import type { Command } from 'commander';
import { addCommand, lazily, type RunCommand } from '../../../terminal/command/command.ts';

const SKILLS = ['--skills <dir>', 'directory of the skills (default: ./skills, otherwise ANIMUS_HOME/skills)'] as const;

/** Adds `list`, `show`, `check` and `add`. */
export function addFolderCommands(group: Command, run: RunCommand): void {
  addCommand(group, 'list', {
    summary: 'list the skills that loaded, with what they are for',
    examples: ['animus skill list', 'animus skill list --skills ./my-skills --json'],
  })
    .option(
      '--stale',
      'only skills that no work has used for `stale_days` of [skills] in animus.toml; asks the database',
    )
    .option(...SKILLS)
    .action(run(lazily(async () => (await import('./list-skills.ts')).listSkills)));
  addCommand(group, 'show <skill>', {
    summary: 'show what a skill says, its files, and when it is activated',
    examples: ['animus skill show code-review', 'animus skill show code-review --json'],
  })
    .option('--sources', 'also show the ledger entries that it comes from, if agents have written it')
    .option(...SKILLS)
    .action(run(lazily(async () => (await import('./show-skill.ts')).showSkill)));
  addCommand(group, 'check [skills...]', {
    summary: 'check skills and report every problem; exits 2 when a skill cannot be used',
    arguments: { skills: 'names of skills, or their directories (default: all skills)' },
    examples: ['animus skill check', 'animus skill check ./drafts/release-notes --strict', 'animus skill check --json'],
  })
    .option(
      '--strict',
      'report everything that the format forbids as a problem, and also exit 2 for remarks; for skills that you write',
    )
    .option(...SKILLS)
    .action(run(lazily(async () => (await import('./check-skills.ts')).checkSkills)));
  addCommand(group, 'add <source> [chosen...]', {
    summary: 'copy skills from a directory or a git repository into the directory of the skills, after checking them',
    arguments: {
      source: 'a directory, or the URL of a git repository (https or ssh)',
      chosen: 'which of its skills (default: the only one)',
    },
    examples: [
      'animus skill add ./drafts/release-notes',
      'animus skill add https://github.com/ada/skills.git release-notes code-review',
      'animus skill add git@github.com:ada/skills.git --all --ref v1.2',
    ],
  })
    .option('--all', 'add all skills of the source')
    .option('--ref <name>', 'branch or tag of the git repository (default: its main branch)')
    .option('--force', 'replace a skill of the same name')
    .option(...SKILLS)
    .action(run(lazily(async () => (await import('./add-skill.ts')).addSkill)));
}

/** Adds `adopt`. */
export function addAdopt(group: Command, run: RunCommand): void {
  addCommand(group, 'adopt <skill>', {
    summary: 'let agents improve a skill that a person has written or edited: its files become its current version',
    examples: ['animus skill adopt release-notes --note "keep the list of people up to date"'],
  })
    .option('--note <text>', 'why; it is kept with the decision')
    .option(...SKILLS)
    .action(run(lazily(async () => (await import('./adopt-skill.ts')).adoptCommand)));
}
