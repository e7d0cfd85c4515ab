import type { Embeddings } from '../../store/views/embeddings-view.ts';
import { counted, grouped } from '../../terminal/view/quantities.ts';

/** How the embeddings of memories stand, in a sentence. */
export function embeddingsLine({ vector, reason, current }: Embeddings): string {
  if (!vector) return `memories are searched by words alone: ${reason ?? 'pgvector is not installed in this database'}`;
  if (current === null)
    return 'memories are searched by words alone: no daemon has run with an embedding model yet ([embeddings] in animus.toml)';
  const { model, dimensions, missing, problem } = current;
  const made = `embeddings of ${model} with ${grouped(dimensions)} dimensions`;
  if (missing === 0) return `every memory has its embedding: ${made}`;
  const lack = `${missing >= 10_000 ? 'more than 10,000 memories have' : `${counted(missing, 'memory', 'memories')} ${missing === 1 ? 'has' : 'have'}`} none yet`;
  return `${made}; ${lack}${problem === null ? '' : `; the last try failed: ${problem}`}`;
}
