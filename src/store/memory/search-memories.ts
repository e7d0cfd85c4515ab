/** Search of memories: by full text, and by vectors where there are some (functions/memory/search.sql). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { MemoryLayer } from './memories.ts';

/** Only memories with all of what is given. */
export interface MemoryFilters {
  readonly layers?: readonly MemoryLayer[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
  readonly project?: string | undefined;
  /** Any work item of the task. */
  readonly task?: string | undefined;
  /** Contained in the memory's metadata. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The work item that stored, changed or confirmed it. */
  readonly source_item?: string | undefined;
  /** The faculty of that work. */
  readonly faculty?: string | undefined;
  /** Changed at this time or later. */
  readonly since?: Date | undefined;
  /** Changed before this time. */
  readonly until?: Date | undefined;
}

/** The text of a search as a vector. */
export interface QueryEmbedding {
  readonly model: string;
  readonly vector: readonly number[];
}

export interface MemorySearch {
  /** Work, which finds memories of its task, of its project and global ones that its submitter may see; null: the actor, who finds all it may see. */
  readonly viewer: { readonly workItemId: string } | null;
  /** Words, "phrases", or, -excluded, with or without accents; at most 4,000 characters count. Empty, and no embedding: the newest. */
  readonly text: string;
  /** Null: by text alone. */
  readonly embedding: QueryEmbedding | null;
  readonly filters?: MemoryFilters;
  /** 1 to 200. */
  readonly limit: number;
  /** The age in days that halves a score; default: age does not count. */
  readonly halfLifeDays?: number | undefined;
}

/** A memory, best first. Ranks count from 1; null: it is not in that list. */
export interface FoundMemory {
  readonly id: string;
  readonly layer: MemoryLayer;
  readonly project: string | null;
  readonly task: string | null;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Null: everybody's. */
  readonly submitted_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly uses: number;
  /** The sum of 1 / (60 + rank) over both lists, decayed by age; null where nothing was searched for. */
  readonly score: number | null;
  readonly text_rank: number | null;
  readonly vector_rank: number | null;
  /** Cosine. */
  readonly similarity: number | null;
  /** How many times it was stored, changed or merged; the newest that stored or changed it: */
  readonly sources: number;
  readonly source_item: string | null;
  readonly source_faculty: string | null;
  readonly source_entry: number | null;
  readonly source_actor: string | null;
  /** At most three others of its place with nearly the same words, newest first: other facts, or the same one in other words. Long texts are cut. */
  readonly alike: readonly { readonly id: string; readonly content: string; readonly updated_at: string }[];
}

/** How a memory was found; null: it was not searched for, and is one of the newest. */
type FoundBy = 'words' | 'meaning' | 'both' | null;

/** By which of the two lists it was found. */
export function foundBy({ text_rank, vector_rank }: Pick<FoundMemory, 'text_rank' | 'vector_rank'>): FoundBy {
  if (text_rank !== null) return vector_rank === null ? 'words' : 'both';
  return vector_rank === null ? null : 'meaning';
}

/** `vectorProblem`: why an embedding that was given was not used; null if it was, or none was given. */
export interface MemorySearchResult {
  readonly memories: readonly FoundMemory[];
  readonly byVectors: boolean;
  readonly vectorProblem: string | null;
}

/**
 * Finds memories by PostgreSQL's full text search (not BM25) and by cosine, fused by reciprocal rank (Cormack, Clarke and Büttcher, SIGIR 2009,
 * k = 60): a memory's score is the sum of 1 / (k + rank) over the lists it is in, so that scores of different kinds need no common scale.
 */
export async function searchMemories(db: Queryable, search: MemorySearch): Promise<MemorySearchResult> {
  const { viewer, text, embedding, filters = {}, limit, halfLifeDays } = search;
  const vectorProblem = embedding && (await vectorSearchProblem(db, embedding.model, embedding.vector.length));
  const used = vectorProblem === null ? embedding : null;
  const memories = await db.query<FoundMemory>(
    `select id, layer, project, task, kind, tags, content, metadata, submitted_by, created_at, updated_at, uses, score, text_rank, vector_rank,
            similarity, sources, source_item, source_faculty, source_entry, source_actor, alike
       from animus.search_memories($1, $2, $3::real[], $4, $5::jsonb, $6, make_interval(secs => $7::float8 * 86400))`,
    [
      toText(text).normalize('NFC'),
      viewer?.workItemId ?? null,
      used?.vector ?? null,
      used?.model ?? null,
      toJsonb(filters),
      limit,
      halfLifeDays ?? null,
    ],
  );
  return { memories, byVectors: used !== null, vectorProblem };
}

/** Why memories cannot be searched by vectors of this model and dimension; null if they can. */
export async function vectorSearchProblem(db: Queryable, model: string, dimensions: number): Promise<string | null> {
  return readValue<string | null>(db, 'select animus.vector_search_problem($1, $2)', [model, dimensions]);
}
