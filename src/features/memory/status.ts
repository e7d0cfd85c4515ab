/** The part of `animus status` about memories. */
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, grouped } from '../../terminal/view/quantities.ts';
import type { EmbeddingStatus } from './feature.ts';

interface MemoryStatus {
  /** Null before the first migration has looked for pgvector. */
  readonly memory: { readonly vector: boolean; readonly reason: string | null } | null;
  /** Null: no daemon has run with a model for them. */
  readonly embeddings: EmbeddingStatus | null;
  readonly at: string;
}

/** Prints nothing while every memory can be found by words and, where a model is configured, by meaning. */
export function showMemoryStatus(output: Output, { memory, embeddings, at }: MemoryStatus): void {
  const title = styled('Memory    ', 'bold');
  if (memory?.vector === false) output.line(title, `by text only: ${memory.reason ?? 'no pgvector'}`);
  else if (embeddings !== null && embeddings.missing > 0) {
    const { model, missing, problem, resume_at: resume } = embeddings;
    const waits = problem === null || resume === null ? '' : `; asked again ${age(resume, Date.parse(at))}`;
    output.line(title, `${grouped(missing)}${missing >= 10_000 ? '+' : ''} without an embedding of ${model}${waits}`);
  }
}
