/**
 * A constructed set with complementary signals. It shows that fusion brings together what words find and what vectors find; it says
 * nothing about texts of the world, because it was made for that. Of each question, four memories are relevant: two share its words and stand far
 * from its vector, two stand near its vector and share no word. Around them are ten that share one of its words, and ten that stand a little farther.
 */
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { literal, MODEL } from './load.ts';
import type { Ways } from './searches.ts';
import { DIMENSIONS, numbers } from './synthetic.ts';

const QUESTIONS = 50;
const RELEVANT = 4;

/** The share of the relevant memories among the first four, by each way. */
export async function fusion(db: Database): Promise<Readonly<Record<Ways, number>>> {
  const random = numbers(7);
  const questions = Array.from({ length: QUESTIONS }, (_, n) => ({ n, vector: somewhere(random) }));
  for (const { n, vector } of questions) await db.transaction((tx) => construct(tx, random, n, vector));
  const share = async (ways: Ways) => {
    let found = 0;
    for (const { n, vector } of questions) {
      const { memories } = await searchMemories(db, {
        viewer: null,
        text: ways === 'vectors' ? '' : `q${n}a q${n}b`,
        embedding: ways === 'words' ? null : { model: MODEL.model, vector: [...vector] },
        limit: RELEVANT,
        filters: { project: 'fusion' },
      });
      found += memories.filter(
        ({ content, metadata }) => content.startsWith('relevant') && metadata['question'] === n,
      ).length;
    }
    return found / (QUESTIONS * RELEVANT);
  };
  return { words: await share('words'), vectors: await share('vectors'), both: await share('both') };
}

async function construct(tx: Queryable, random: () => number, n: number, vector: Float32Array): Promise<void> {
  const add = (content: string, at: Float32Array) => store(tx, content, at, n);
  for (const rank of [1, 2]) {
    await add(`relevant q${n}a q${n}b words ${rank}`, somewhere(random));
    await add(`relevant ${unlike(random)} meaning ${rank}`, towards(vector, somewhere(random), 0.1 * rank));
  }
  for (let other = 0; other < 10; other++) {
    await add(`distractor q${n}a ${unlike(random)} ${other}`, somewhere(random));
    await add(`distractor ${unlike(random)} ${other}`, towards(vector, somewhere(random), 0.5 + 0.05 * other));
  }
}

async function store(db: Queryable, content: string, vector: Float32Array, question: number): Promise<void> {
  await db.query(
    `with stored as (
       insert into animus.memories (id, content, layer, project, kind, metadata, digest, created_at, updated_at, embedded_as)
       values (animus.uuid_v7(), $1, 'project', 'fusion', 'fact', jsonb_build_object('question', $3::int), animus.digest_memory($1 || random()), now(), now(), 1)
       returning id)
     insert into animus.memory_embeddings (memory_id, model_id, embedding) select id, 1, $2::text::vector from stored`,
    [content, literal(vector), question],
  );
}

function somewhere(random: () => number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
}

function towards(from: Float32Array, to: Float32Array, share: number): Float32Array {
  return from.map((x, at) => x * (1 - share) + to[at]! * share);
}

/** A word that no question has. */
function unlike(random: () => number): string {
  return `u${Math.floor(random() * 1e9)}`;
}
