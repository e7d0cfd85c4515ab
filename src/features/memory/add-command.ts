/** `animus memory add`. */
import { findWork } from '../../store/views/find-work.ts';
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { readInput } from '../../terminal/command/read-input.ts';
import { styled } from '../../terminal/view/output.ts';
import { storeMemory } from './operations.ts';
import { words } from './values.ts';

/** Stores a memory of the person, of everybody, or of the submitter of a work item. */
export const add = operationCommand(storeMemory, {
  usage: 'add <content>',
  summary: 'store a memory; the same text is stored once',
  arguments: { content: 'one fact, clear without its context; - reads standard input' },
  examples: [
    'animus memory add "Deployments to production need the approval of Ada" --kind procedure --tag deploy',
    'animus memory add "The invoices service owns table invoices" --project webshop',
    'animus memory add --everybody --kind preference "Dates are written 2026-11-22"',
  ],
  options: {
    layer: [
      '--layer <layer>',
      'task, project or global (default: project with --project, task with --item, else global)',
    ],
    kind: ['--kind <kind>', 'a word such as fact, preference, procedure or lesson', 'fact'],
    project: ['--project <name>', 'of layer project'],
    work_item_id: ['--item <id>', 'store it for this work item: its task, its project, its submitter'],
    tags: ['--tag <tags>', 'words to find it by, such as billing,invoices', words],
    metadata: ['--metadata <json>', 'a JSON object, or @file'],
    everybody: ['--everybody', 'for all submitters; only operators may (default: for you)'],
  },
  async read(given, { context: { stdin } }) {
    const { project, work_item_id: item } = given;
    const layer = given.layer ?? (project !== undefined ? 'project' : item !== undefined ? 'task' : 'global');
    return { ...given, layer, content: given.content === '-' ? await readInput(stdin) : given.content };
  },
  check({ content, layer, project, work_item_id: item }) {
    if (content.trim() === '') return 'a memory needs a text';
    if (item !== undefined) return null;
    if (layer === 'task') return 'layer task needs --item, a work item of the task';
    if (layer === 'project' && project === undefined)
      return 'layer project needs --project, or --item of work that has one';
    return null;
  },
  ids: { work_item_id: findWork },
  show: (output, { result: { id, merged } }) =>
    output.line(styled(id, 'bold'), merged ? '  already stored; new tags were added to it' : '  stored'),
});
