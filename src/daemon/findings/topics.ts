/** Topics: findings that say the same thing. */
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { createGroups } from './alike.ts';
import type { KnownFinding } from './finding-window.ts';

/** Findings that say the same, in the order in which they were made. */
export type Topic = readonly KnownFinding[];

/** Of a topic, the newest findings count. */
const MAX_FINDINGS = 1000;
/** How long to keep other work of the process waiting. */
const SLICE_MS = 8;

export interface Topics {
  /** Groups findings by their words. What was grouped before keeps its group, so a later call costs little. */
  of(findings: readonly KnownFinding[]): Promise<Topic[]>;
}

/** No findings yet. */
export function createTopics(): Topics {
  let groups = createGroups();
  let grouped = new Map<KnownFinding, number>();

  async function of(findings: readonly KnownFinding[]): Promise<Topic[]> {
    // What was forgotten still attracts what comes, until there is too much of it.
    if (grouped.size > 2 * findings.length) [groups, grouped] = [createGroups(), new Map()];
    let sliceEndMs = performance.now() + SLICE_MS;
    for (const finding of findings) {
      if (grouped.has(finding)) continue;
      grouped.set(finding, groups.add(finding.words));
      if (performance.now() < sliceEndMs) continue;
      await turnOfEventLoop();
      sliceEndMs = performance.now() + SLICE_MS;
    }
    return [...Map.groupBy(findings, (finding) => grouped.get(finding)!).values()];
  }

  return { of };
}

/** Topics that at least `threshold` items have found, those of most items first, each with its newest findings. */
export function recurring(topics: readonly Topic[], threshold: number): Topic[] {
  return topics
    .filter((topic) => topic.length >= threshold)
    .map((topic) => ({
      topic: topic.slice(-MAX_FINDINGS),
      items: new Set(topic.map(({ workItemId }) => workItemId)).size,
    }))
    .filter(({ items }) => items >= threshold)
    .sort((one, other) => other.items - one.items)
    .map(({ topic }) => topic);
}
