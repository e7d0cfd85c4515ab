/** Embeddings of topics: bought once, kept as long as the topic is among the newest, under the limits for all work. */
import { surelyHolds } from '../../core/lifecycle/lease.ts';
import type { Vector } from '../../llm/embeddings/embed-result.ts';
import { beginEmbedding, type EmbeddingTurn, endEmbedding } from '../../store/work/embedding-turns.ts';
import { embeddingLease, HOLD_SECONDS } from '../embeddings/embedding-lease.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { measuredEmbedder } from '../embeddings/measured-embedder.ts';
import { paidEmbedding } from '../embeddings/paid-embedding.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import { groupByMeaning } from './same-meaning.ts';
import type { Topic } from './topics.ts';

export interface VectorSource extends ServiceBase, EmbeddingModel {
  readonly daemonId: string;
}

/** The newest topics are compared: pairs, and so the time, grow by its square. */
const MAX_TOPICS = 500;

export interface TopicVectors {
  /** Joins topics that mean the same. Where vectors are missing (a limit, a failure), these topics stay apart. */
  join(topics: readonly Topic[], signal: AbortSignal): Promise<readonly Topic[]>;
}

/** Vectors of no topic yet. */
export function createTopicVectors({ db, clock, log, daemonId, embedder, explain }: VectorSource): TopicVectors {
  const measured = measuredEmbedder(embedder);
  const turn: EmbeddingTurn = { daemonId, model: embedder.name };
  /** By text; null: the model refuses it. */
  let known: ReadonlyMap<string, Vector | null> = new Map();

  async function join(topics: readonly Topic[], signal: AbortSignal): Promise<readonly Topic[]> {
    const texts = newestTexts(topics);
    known = new Map([...known].filter(([text]) => texts.has(text)));
    await buy([...texts.keys()], signal);
    const compared = [...texts].flatMap(([text, of]) => (known.get(text) ? of.map((topic) => ({ topic, text })) : []));
    // The oldest topic of a meaning is its first.
    compared.sort((one, other) => one.topic[0]!.foundUs - other.topic[0]!.foundUs);
    const groups = await groupByMeaning(compared.map(({ text }) => known.get(text)!));
    return joined(topics, new Map(compared.map(({ topic }, at) => [topic, compared[groups[at]!]!.topic])));
  }

  /** Of each text the vector, as far as limits and the provider allow. */
  async function buy(texts: readonly string[], signal: AbortSignal): Promise<void> {
    for (let more = true; more && !signal.aborted; ) {
      const missing = texts.filter((text) => !known.has(text));
      more = missing.length > 0 && (await request(missing.slice(0, measured.fits(missing)), signal));
    }
  }

  /** Returns whether to ask for more now. */
  async function request(texts: readonly string[], signal: AbortSignal): Promise<boolean> {
    const lease = embeddingLease(db, clock, turn);
    const begun = await beginEmbedding(db, turn, HOLD_SECONDS, measured.costAtMost(texts));
    if (begun.permit !== 'go') return false;
    const result = await measured.embed(texts, signal, () => surelyHolds(lease));
    const vectors = result.vectors.map((vector, at) => [texts[at]!, vector] as const);
    const refused = result.ok || !result.refused ? [] : [[texts[vectors.length]!, null] as const];
    known = new Map([...known, ...vectors, ...refused]);
    const paid = paidEmbedding(measured, [result]);
    const problem = result.ok || result.refused || result.failure.kind === 'aborted' ? null : explain(result.failure);
    const failed = problem === null || result.ok ? null : { problem, delayMs: result.failure.retryAfterMs ?? 0 };
    if (problem !== null) log.warn({ problem }, 'findings are compared by their words alone for now');
    await endEmbedding(db, turn, begun.held, paid, failed);
    return problem === null;
  }

  return { join };
}

/** The texts of the newest topics, each with the topics that it is the newest finding of. */
function newestTexts(topics: readonly Topic[]): ReadonlyMap<string, readonly Topic[]> {
  const newest = topics
    .filter((topic) => topic.at(-1)!.text !== null)
    .sort((one, other) => one.at(-1)!.foundUs - other.at(-1)!.foundUs)
    .slice(-MAX_TOPICS);
  return Map.groupBy(newest, (topic) => topic.at(-1)!.text!);
}

function joined(topics: readonly Topic[], firstOf: ReadonlyMap<Topic, Topic>): readonly Topic[] {
  const members = Map.groupBy(topics, (topic) => firstOf.get(topic) ?? topic);
  return [...members.values()].map((same) =>
    same.length === 1 ? same[0]! : same.flat().sort((one, other) => one.foundUs - other.foundUs),
  );
}
