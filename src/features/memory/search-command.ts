/** `animus memory search`: it takes more than the act of the API, and asks the model of the configuration itself. */
import { MEMORY_LAYERS, type MemoryLayer } from '../../store/memory/memories.ts';
import { type FoundMemory, foundBy, searchMemories } from '../../store/memory/search-memories.ts';
import type { Database } from '../../store/sql/database.ts';
import { findWork } from '../../store/views/find-work.ts';
import { choice, pastMoment, wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import type { AddOperation } from '../../terminal/command/operation-command.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, shortDescription, shortId } from '../../terminal/view/quantities.ts';
import { commandEmbedding } from './command-embedding.ts';
import { days, words } from './values.ts';

export const search: AddOperation = (group, run) => {
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
};

const layer = choice(MEMORY_LAYERS);

function layers(value: string) {
  return words(value).map(layer);
}

interface SearchOptions extends CommonOptions {
  readonly layer?: readonly MemoryLayer[];
  readonly kind?: readonly string[];
  readonly tag?: readonly string[];
  readonly project?: string;
  readonly task?: string;
  readonly source?: string;
  readonly faculty?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly halfLife?: number;
  readonly item?: string;
  readonly wordsOnly?: boolean;
  readonly limit: number;
}

/** How the memories were found. */
interface Searched {
  readonly memories: readonly FoundMemory[];
  readonly byVectors: boolean;
  /** Why not by vectors; null if they were, or nothing was searched for. */
  readonly reason: string | null;
}

/** Searches as the person who runs the command, or as a work item. */
async function searchCommand(
  invocation: Invocation,
  options: SearchOptions,
  query: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const searched = await withDatabase(invocation, (db) => find(invocation, db, options, query?.trim() ?? ''));
  const { memories, byVectors, reason } = searched;
  output.document({ memories: memories.map(documentOf), by_vectors: byVectors, reason });
  for (const memory of memories) show(output, memory);
  if (memories.length === 0) output.note('no memories found');
  if (reason !== null) output.note(`searched by words alone: ${reason}`);
  else if (byVectors) output.note('searched by words and by meaning');
  return 0;
}

async function find(invocation: Invocation, db: Database, options: SearchOptions, text: string): Promise<Searched> {
  const { layer: layers, kind: kinds, tag: tags, project, faculty, since, until, limit } = options;
  const task = await named(db, options.task);
  const source = await named(db, options.source);
  const viewer = await named(db, options.item);
  const embedded = await embeddingOf(invocation, db, options, text);
  const result = await searchMemories(db, {
    viewer: viewer === undefined ? null : { workItemId: viewer },
    text,
    embedding: 'vector' in embedded ? embedded : null,
    limit,
    filters: { layers, kinds, tags, project, task, source_item: source, faculty, since, until },
    halfLifeDays: options.halfLife,
  });
  const missing = 'missing' in embedded ? embedded.missing : null;
  return { memories: result.memories, byVectors: result.byVectors, reason: result.vectorProblem ?? missing };
}

async function named(db: Database, reference: string | undefined): Promise<string | undefined> {
  return reference === undefined ? undefined : findWork(db, reference);
}

async function embeddingOf(invocation: Invocation, db: Database, { wordsOnly }: SearchOptions, text: string) {
  if (text === '') return { missing: null };
  return wordsOnly ? { missing: 'as --words-only asks' } : commandEmbedding(invocation, db, text);
}

/** How much of a text is shown; --json has all. */
const SHOWN_CHARS = 2000;

function show(output: Output, memory: FoundMemory): void {
  const {
    id,
    kind,
    layer,
    project,
    task,
    tags,
    text_rank: byText,
    vector_rank: byVector,
    similarity,
    content,
  } = memory;
  const place = layer === 'project' ? `project ${project}` : layer === 'task' ? `task ${shortId(task ?? '')}` : layer;
  const ranks = [
    ...(byText === null ? [] : [`words #${byText}`]),
    ...(byVector === null ? [] : [`meaning #${byVector} (${(similarity ?? 0).toFixed(2)})`]),
  ];
  output.line(
    styled(id, 'bold'),
    `  ${kind}, ${place}`,
    styled(`  ${age(memory.updated_at, Date.now())}${ranks.length > 0 ? `  ${ranks.join(', ')}` : ''}`, 'dim'),
  );
  output.block(shortDescription(content, SHOWN_CHARS), '   ');
  for (const other of memory.alike)
    output.line(styled(`   nearly the same words: ${other.id}  ${shortDescription(other.content, 200)}`, 'dim'));
  if (tags.length > 0) output.line(styled(`   tags: ${tags.join(', ')}`, 'dim'));
  output.line(styled(`   ${sourceOf(memory)}`, 'dim'));
}

function sourceOf(memory: FoundMemory): string {
  const { source_item: item, source_entry: number, source_actor: actor, sources, submitted_by: owner } = memory;
  const entry = number === null ? '' : `, ledger #${number}`;
  const from = item === null ? actor : `${memory.source_faculty ?? ''} ${shortId(item)}${entry}`.trim();
  const more = sources > 1 ? ` and ${sources - 1} more` : '';
  return `source: ${from ?? 'unknown'}${more}; belongs to ${owner ?? 'everybody'}`;
}

function documentOf(memory: FoundMemory) {
  const { source_item: item, source_faculty: faculty, source_entry: entry, source_actor: actor, ...shown } = memory;
  const source = { work_item_id: item, faculty, ledger_entry: entry, actor };
  return { ...shown, found_by: foundBy(memory), source };
}
