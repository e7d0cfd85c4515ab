/** `animus memory search`. */
import type { MemoryLayer } from '../../store/memory/memories.ts';
import { type FoundMemory, foundBy, searchMemories } from '../../store/memory/search-memories.ts';
import type { Database } from '../../store/sql/database.ts';
import { findWork } from '../../store/views/find-work.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, shortDescription, shortId } from '../../terminal/view/quantities.ts';
import { commandEmbedding } from './command-embedding.ts';

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
export async function searchCommand(
  invocation: Invocation,
  options: SearchOptions,
  query: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const searched = await withDatabase(invocation, (db) => search(invocation, db, options, query?.trim() ?? ''));
  const { memories, byVectors, reason } = searched;
  output.document({ memories: memories.map(documentOf), by_vectors: byVectors, reason });
  for (const memory of memories) show(output, memory);
  if (memories.length === 0) output.note('no memories found');
  if (reason !== null) output.note(`searched by words alone: ${reason}`);
  else if (byVectors) output.note('searched by words and by meaning');
  return 0;
}

async function search(invocation: Invocation, db: Database, options: SearchOptions, text: string): Promise<Searched> {
  const { layer, kind, tag, project, task, source, faculty, since, until, halfLife, item, limit } = options;
  const found = {
    ...(task !== undefined && { task: await findWork(db, task) }),
    ...(source !== undefined && { sourceItem: await findWork(db, source) }),
  };
  const viewer = item === undefined ? null : { workItemId: await findWork(db, item) };
  const embedded = await embeddingOf(invocation, db, options, text);
  const result = await searchMemories(db, {
    viewer,
    text,
    embedding: 'vector' in embedded ? embedded : null,
    limit,
    filters: {
      ...found,
      ...(layer && { layers: layer }),
      ...(kind && { kinds: kind }),
      ...(tag && { tags: tag }),
      ...(project !== undefined && { project }),
      ...(faculty !== undefined && { faculty }),
      ...(since && { since }),
      ...(until && { until }),
    },
    ...(halfLife !== undefined && { halfLifeDays: halfLife }),
  });
  const missing = 'missing' in embedded ? embedded.missing : null;
  return { memories: result.memories, byVectors: result.byVectors, reason: result.vectorProblem ?? missing };
}

async function embeddingOf(invocation: Invocation, db: Database, { wordsOnly }: SearchOptions, text: string) {
  if (text === '') return { missing: null };
  return wordsOnly ? { missing: 'as --words-only asks' } : commandEmbedding(invocation, db, text);
}

/** How much of a text is shown; --json has all. */
const SHOWN_CHARS = 2000;

function show(output: Output, memory: FoundMemory): void {
  const { id, kind, layer, project, task, tags, updatedAt, textRank, vectorRank, similarity, content } = memory;
  const place = layer === 'project' ? `project ${project}` : layer === 'task' ? `task ${shortId(task ?? '')}` : layer;
  const ranks = [
    ...(textRank === null ? [] : [`words #${textRank}`]),
    ...(vectorRank === null ? [] : [`meaning #${vectorRank} (${(similarity ?? 0).toFixed(2)})`]),
  ];
  output.line(
    styled(id, 'bold'),
    `  ${kind}, ${place}`,
    styled(`  ${age(updatedAt, Date.now())}${ranks.length > 0 ? `  ${ranks.join(', ')}` : ''}`, 'dim'),
  );
  output.block(shortDescription(content, SHOWN_CHARS), '   ');
  for (const other of memory.alike)
    output.line(styled(`   nearly the same words: ${other.id}  ${shortDescription(other.content, 200)}`, 'dim'));
  if (tags.length > 0) output.line(styled(`   tags: ${tags.join(', ')}`, 'dim'));
  output.line(styled(`   ${sourceOf(memory)}`, 'dim'));
}

function sourceOf({ sourceItem, sourceFaculty, sourceEntry, sourceActor, sources, submittedBy }: FoundMemory): string {
  const entry = sourceEntry === null ? '' : `, ledger #${sourceEntry}`;
  const from = sourceItem === null ? sourceActor : `${sourceFaculty ?? ''} ${shortId(sourceItem)}${entry}`.trim();
  const more = sources > 1 ? ` and ${sources - 1} more` : '';
  const owner = submittedBy === null ? 'everybody' : submittedBy;
  return `source: ${from ?? 'unknown'}${more}; belongs to ${owner}`;
}

function documentOf(memory: FoundMemory) {
  return {
    id: memory.id,
    kind: memory.kind,
    layer: memory.layer,
    project: memory.project,
    task: memory.task,
    tags: memory.tags,
    content: memory.content,
    metadata: memory.metadata,
    submitted_by: memory.submittedBy,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
    uses: memory.uses,
    score: memory.score,
    found_by: foundBy(memory),
    text_rank: memory.textRank,
    vector_rank: memory.vectorRank,
    similarity: memory.similarity,
    alike: memory.alike,
    sources: memory.sources,
    source: {
      work_item_id: memory.sourceItem,
      faculty: memory.sourceFaculty,
      ledger_entry: memory.sourceEntry,
      actor: memory.sourceActor,
    },
  };
}
