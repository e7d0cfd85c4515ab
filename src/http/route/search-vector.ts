/** The embedding of what a person searches for by HTTP or MCP, made outside of the transaction of the search. */
import { embedSearch, NO_MODEL, type SearchVector } from '../../daemon/embeddings/search-embedding.ts';
import { vectorSearchProblem } from '../../store/memory/search-memories.ts';
import { chargeSearch, searchRefusal } from '../../store/work/embedding-turns.ts';
import { asVisitor } from '../login/visitor.ts';
import type { Visit } from './route.ts';

/** The vector, or why there is none. It counts under the limits for all work, as spent by the visitor. */
export async function searchVector({ services, visitor, signal }: Visit, text: string): Promise<SearchVector> {
  const { embeddings, db } = services;
  if (!embeddings) return { missing: NO_MODEL };
  const { embedder, known } = embeddings;
  const before = known.get(text);
  const problem = await asVisitor(
    db,
    visitor,
    async (tx) =>
      (await vectorSearchProblem(tx, embedder.name, embedder.dimensions)) ??
      (before ? null : await searchRefusal(tx, embedder.costAtMost([text]))),
  );
  if (problem !== null) return { missing: problem };
  if (before) return before;
  const made = await embedSearch(embeddings, text, signal, (paid) =>
    asVisitor(db, visitor, (tx) => chargeSearch(tx, paid)),
  );
  if ('vector' in made) known.add(text, made);
  return made;
}
