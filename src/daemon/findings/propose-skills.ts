/** One pass over the findings of all work: what enough items have found becomes work for the scribe. */
import type { SkillsConfig } from '../../core/config/sections/skills.ts';
import { proposeSkill } from '../../store/work/findings.ts';
import { count } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import { createFindingWindow, type KnownFinding, keyOf, type WindowLimits } from './finding-window.ts';
import { createTopicVectors, type VectorSource } from './topic-vectors.ts';
import { createTopics, recurring, type Topic } from './topics.ts';

export interface FindingsReader extends Omit<VectorSource, 'embedder'> {
  /** Null: findings are compared by their words alone. */
  readonly embedder: VectorSource['embedder'] | null;
  readonly windowLimits?: WindowLimits;
}

/** What a pass came to. */
export interface Proposed {
  /** The items that were submitted. */
  readonly ids: readonly string[];
  /** The daemon no longer has the turn. */
  readonly lost: boolean;
}

/** The keys `propose…` of `[skills]`. */
export type ProposeSettings = Pick<
  SkillsConfig,
  'propose' | 'proposeThreshold' | 'proposeWindowDays' | 'proposeIntervalSeconds'
>;

export interface SkillProposer {
  /** One pass; `nowUs`: the time of the database. */
  pass(nowUs: number, settings: ProposeSettings, signal: AbortSignal): Promise<Proposed>;
}

const DAY_US = 86_400_000_000;
/** Topics that the database is asked about in one pass. */
const MAX_ASKED = 200;

/** A proposer that knows no finding yet: its first pass reads the whole window. */
export function createSkillProposer(reader: FindingsReader): SkillProposer {
  const { db, log, daemonId, embedder } = reader;
  const window = createFindingWindow(db, reader.windowLimits);
  const vectors = embedder && createTopicVectors({ ...reader, embedder });
  const groups = createTopics();
  let compared: readonly KnownFinding[] = [];
  let topics: readonly Topic[] = [];
  /** Topics as the database has seen them, for which there was nothing to do. */
  let settled: ReadonlySet<string> = new Set();

  async function pass(nowUs: number, settings: ProposeSettings, signal: AbortSignal): Promise<Proposed> {
    return span(
      'work.skills.propose',
      {},
      async (passing) => {
        const findings = await window.read(nowUs - settings.proposeWindowDays * DAY_US, signal);
        if (findings !== compared) topics = await topicsOf(findings, signal);
        compared = findings;
        const found = recurring(topics, settings.proposeThreshold);
        const proposed = await propose(found, settings.proposeThreshold, signal);
        passing.set({
          'work.skills.findings': findings.length,
          'work.skills.topics': found.length,
          'work.skills.proposals': proposed.ids.length,
        });
        return proposed;
      },
      { root: true },
    );
  }

  async function topicsOf(findings: readonly KnownFinding[], signal: AbortSignal): Promise<readonly Topic[]> {
    const alike = await groups.of(findings);
    return vectors === null ? alike : vectors.join(alike, signal);
  }

  async function propose(found: readonly Topic[], threshold: number, signal: AbortSignal): Promise<Proposed> {
    const ids: string[] = [];
    const known = new Set<string>();
    const asked = found.filter((topic) => {
      const isSettled = settled.has(signatureOf(topic, threshold));
      if (isSettled) known.add(signatureOf(topic, threshold));
      return !isSettled;
    });
    let lost = false;
    for (const topic of asked.slice(0, MAX_ASKED)) {
      if (signal.aborted) break;
      const { result, id, items, known: before } = await proposeSkill(db, daemonId, topic, threshold);
      lost = result === 'lost';
      if (lost || result === 'full') break;
      if (result !== 'open') known.add(signatureOf(topic, threshold));
      if (result !== 'proposed' || id === undefined) continue;
      ids.push(id);
      count('work.skills.proposed', 1, {});
      log.info({ work_item_id: id, items, known: before }, 'a finding recurs: work for the scribe was submitted');
    }
    settled = known;
    return { ids, lost };
  }

  return { pass };
}

function signatureOf(topic: Topic, threshold: number): string {
  return [threshold, topic.length, keyOf(topic[0]!), keyOf(topic.at(-1)!)].join(' ');
}
