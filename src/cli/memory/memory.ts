/** `animus memory search|add|forget|stats`. */
import type { Command } from 'commander';
import { MEMORY_LAYERS } from '../../store/memory/memories.ts';
import { choice, pastMoment, wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, addGroup, type RunCommand } from '../../terminal/command/command.ts';
import { addMemory } from './memory-add.ts';
import { forgetMemories } from './memory-forget.ts';
import { memoryMerges, mergeMemories, unmergeMemories } from './memory-merges.ts';
import { searchCommand } from './memory-search.ts';
import { memoryNumbers } from './memory-stats.ts';
import { days, jsonObject, words } from './values.ts';

/** Adds the group. */
export function addMemoryCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'memory', 'short texts that later work can find');
  addCommand(group, 'search [query]', {
    summary:
      'find memories by words and, where an embedding model is configured, by meaning; the newest without a query',
    arguments: { query: 'a question, or words; "two words" is a phrase, -word excludes' },
    examples: [
      'animus memory search "how do we deploy to staging?"',
      'animus memory search timezone --layer project,global --kind lesson --since 90d',
      'animus memory search --tag billing,invoices --limit 50 --json',
      'animus memory search "release" --item 5b1f0c3de2a9',
    ],
  })
    .option('--layer <layers>', `only these: a list of ${MEMORY_LAYERS.join(', ')}`, layers)
    .option('--kind <kinds>', 'only these kinds, such as fact,lesson', words)
    .option('--tag <tags>', 'only memories with all of these tags', words)
    .option('--project <name>', 'only memories of this project')
    .option('--task <id>', 'only memories of the task that this work item belongs to')
    .option('--source <id>', 'only memories that this work item stored or changed')
    .option('--faculty <name>', 'only memories from work of this faculty')
    .option('--since <time>', 'only memories stored or changed since: a time, or 90s, 10m, 2h, 1d ago', pastMoment)
    .option('--until <time>', 'only memories stored or changed before this time', pastMoment)
    .option('--half-life <days>', 'a memory of this age counts half (default: age does not count)', days)
    .option('--item <id>', 'only what this work item would find')
    .option('--words-only', 'do not ask the embedding model, which may cost something')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 200), 10)
    .action(run(searchCommand));
  addCommand(group, 'add <content>', {
    summary: 'store a memory; the same text is stored once',
    arguments: { content: 'one fact, clear without its context; - reads standard input' },
    examples: [
      'animus memory add "Deployments to production need the approval of Ada" --kind procedure --tag deploy',
      'animus memory add "The invoices service owns table invoices" --project webshop',
      'animus memory add --everybody --kind preference "Dates are written 2026-11-22"',
    ],
  })
    .option(
      '--layer <layer>',
      'task, project or global (default: project with --project, task with --item, else global)',
      choice(MEMORY_LAYERS),
    )
    .option('--kind <kind>', 'a word such as fact, preference, procedure or lesson', 'fact')
    .option('--project <name>', 'of layer project')
    .option('--item <id>', 'store it for this work item: its task, its project, its submitter')
    .option('--tag <tags>', 'words to find it by, such as billing,invoices', words)
    .option('--metadata <json>', 'a JSON object', jsonObject)
    .option('--everybody', 'for all submitters; only operators may (default: for you)')
    .action(run(addMemory));
  addCommand(group, 'forget <ids...>', {
    summary:
      'delete memories for good, with their history; recorded as a decision. Work that found them keeps what it read, unless you redact it',
    arguments: { ids: 'of the memories, as memory search prints them' },
    examples: [
      'animus memory forget 019a8f2e-7c31-7d7b-9f00-5b1f0c3de2a9 --reason "it was wrong"',
      'animus memory forget 019a8f2e-7c31-7d7b-9f00-5b1f0c3de2a9 --redact --reason "it names a person"',
    ],
  })
    .option('--reason <text>', 'why', '')
    .option(
      '--redact',
      'also take their texts out of tool calls, answers and messages of ended work that stored or found them; only operators may',
    )
    .action(run(forgetMemories));
  addCommand(group, 'merge <into> <ids...>', {
    summary: 'merge memories that say the same into one, whose text stays',
    arguments: {
      into: 'id of the memory that stays',
      ids: 'of those that become part of it; of the same layer, project or task, and owner',
    },
    examples: ['animus memory merge 019a8f2e-7c31-7d7b-9f00-5b1f0c3de2a9 019a8f2e-7c31-7d7b-9f00-0c41d7ab93f1'],
  }).action(run(mergeMemories));
  addCommand(group, 'merges', {
    summary: 'list memories that were merged into others, with both texts, newest first',
    examples: ['animus memory merges', 'animus memory merges --limit 200 --json'],
  })
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1000), 50)
    .action(run(memoryMerges));
  addCommand(group, 'unmerge <ids...>', {
    summary: 'undo merges: the memories are found again, with their own texts',
    arguments: { ids: 'of the memories that were merged, as memory merges prints them' },
    examples: ['animus memory unmerge 019a8f2e-7c31-7d7b-9f00-0c41d7ab93f1'],
  }).action(run(unmergeMemories));
  addCommand(group, 'stats', {
    summary: 'show how many memories each layer has, and how many of them lack an embedding',
    examples: ['animus memory stats', 'animus memory stats --json'],
  }).action(run(memoryNumbers));
}

const layer = choice(MEMORY_LAYERS);

function layers(value: string) {
  return words(value).map(layer);
}
