/** `animus skill …`: the folders of skills, and what agents have written. */
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { styled } from '../../terminal/view/output.ts';
import { addAdopt, addFolderCommands } from './folders/folder-commands.ts';
import {
  approveSkill,
  archiveSkill,
  denySkill,
  diffSkill,
  rollBackSkill,
  showSkill,
  skillStats,
} from './operations.ts';
import { showUses, useForPrograms } from './show-uses.ts';
import { showDiff, showHistory } from './show-versions.ts';

const NOTE = ['--note <text>', 'why; it is kept with the decision'] as const;
const HASH = ['--hash <hex>', 'refuse if the version that waits does not have this content hash'] as const;
const takes = { skill: 'name' } as const;

const stats = operationCommand(skillStats, {
  usage: 'stats [skill]',
  summary:
    'show how often skills were used, and what became of the work, compared with other work of the same faculties',
  examples: ['animus skill stats', 'animus skill stats release-notes --since 90d --json'],
  options: { since: ['--since <time>', 'a time, or 12h, 30d ago (default: 30d)'] },
  document: ({ result: { since, items } }) => ({ since, skills: items.map(useForPrograms) }),
  show: (output, { input, result }) => showUses(output, result.items, input.skill),
});

const history = operationCommand(showSkill, {
  takes,
  usage: 'history <skill>',
  summary: 'list the versions of a skill that agents have written, with who decided about them',
  examples: ['animus skill history release-notes'],
  document: ({ input, result }) => ({
    skill: input.name,
    versions: result.items.map(({ name: _, ...version }) => version),
  }),
  show: (output, { result }) => showHistory(output, result.items),
});

const diff = operationCommand(diffSkill, {
  takes,
  usage: 'diff <skill>',
  summary: 'show what a version of a skill changes: the proposed one, if one waits, otherwise the current one',
  examples: ['animus skill diff release-notes', 'animus skill diff release-notes --from 1 --to 2'],
  options: {
    to: ['--to <n>', 'this version'],
    from: ['--from <n>', 'compare with this version (default: the one that it was made from)'],
  },
  document({ result: { to, from, files } }) {
    const { name: skill, ...version } = to;
    return { skill, ...version, from, files };
  },
  show: (output, { result }) => showDiff(output, result),
});

/** Another version may be proposed while a person reads one: then `--hash` refuses. */
const approve = operationCommand(approveSkill, {
  takes,
  usage: 'approve <skill>',
  summary:
    'approve the proposed version of a skill: foci can use it from then on; see it first with: animus skill diff',
  examples: ['animus skill approve release-notes --note "checked with Ada"'],
  options: { note: NOTE, hash: HASH },
  document: ({ result: { name: skill, version, content_hash: hash } }) => ({ skill, version, approved: true, hash }),
  show(output, { result: { name, version, description } }) {
    output.line(styled(name, 'bold'), `  version ${version}  `, styled('approved', 'green'));
    output.block(description, '  ');
    output.note(
      'each daemon writes its files now, and foci that begin from then on can use it; where a person has a skill of that name, that one stays (animus status)',
    );
  },
});

const deny = operationCommand(denySkill, {
  takes,
  usage: 'deny <skill>',
  summary: 'deny the proposed version of a skill: it is kept and never used',
  examples: ['animus skill deny release-notes --note "this is only true of one customer"'],
  options: { note: NOTE, hash: HASH },
  document: ({ result: { name: skill, version, content_hash: hash } }) => ({ skill, version, denied: true, hash }),
  show(output, { result: { name, version, description } }) {
    output.line(styled(name, 'bold'), `  version ${version}  `, styled('denied', 'red'));
    output.block(description, '  ');
  },
});

const rollback = operationCommand(rollBackSkill, {
  takes,
  usage: 'rollback <skill>',
  summary: 'make an earlier version of a skill current again, as a new version with its files',
  examples: ['animus skill rollback release-notes', 'animus skill rollback release-notes --to 2 --note "3 is wrong"'],
  options: { to: ['--to <n>', 'one that was current before (default: the last of these)'], note: NOTE },
  document: ({ result: { name: skill, version, base: replaced, content_hash: hash } }) => ({
    skill,
    version,
    rolled_back: true,
    replaced,
    hash,
  }),
  show(output, { result: { name, version, note } }) {
    output.line(styled(name, 'bold'), `  version ${version}  `, styled('current', 'green'), `  ${note}`);
    output.note(
      'each daemon writes its files now, and foci that begin from then on use it; where a person has edited the skill, that one stays (animus status)',
    );
  },
});

const archive = operationCommand(archiveSkill, {
  takes,
  usage: 'archive <skill>',
  summary: 'stop using a skill that agents have written: daemons delete its files, and its versions stay',
  examples: ['animus skill archive release-notes --note "unused for a month"'],
  options: { note: NOTE },
  document: ({ result: { name: skill, version } }) => ({ skill, version, archived: true }),
  show(output, { result: { name, version } }) {
    output.line(styled(name, 'bold'), `  version ${version}  archived`);
    output.note(
      `daemons delete its files, unless a person has edited them; its versions stay: animus skill history ${name}`,
    );
  },
});

export const skillCommands = [addFolderCommands, stats, history, diff, approve, deny, addAdopt, rollback, archive];
