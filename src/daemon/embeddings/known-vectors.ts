/** The vectors of the texts that were asked for last, so that the same search is paid for once. */
import type { QueryEmbedding } from '../../store/memory/search-memories.ts';

const MAX_KNOWN = 200;

export interface KnownVectors {
  get(text: string): QueryEmbedding | undefined;
  /** Forgets the oldest of more than 200. */
  add(text: string, vector: QueryEmbedding): void;
}

/** Of one model. */
export function knownVectors(): KnownVectors {
  const known = new Map<string, QueryEmbedding>();
  return {
    get: (text) => known.get(text),
    add(text, vector) {
      if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
      known.set(text, vector);
    },
  };
}
