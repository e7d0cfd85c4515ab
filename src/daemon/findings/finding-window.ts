/** The findings of the last days, kept in memory by the daemon that looks for those that recur. Later passes read only what is new. */
import type { Database } from '../../store/sql/database.ts';
import { type Finding, packedFindings, recentFindings } from '../../store/work/findings.ts';
import { wordsOf } from './words-of.ts';

/** A finding and what it is compared by. */
export interface KnownFinding {
  readonly workItemId: string;
  readonly seq: number;
  readonly foundUs: number;
  readonly words: Uint32Array;
  /** Its beginning; only of the newest. */
  text: string | null;
}

/** How far a window reaches. */
export interface WindowLimits {
  /** The newest ones count. */
  readonly findings: number;
  /** Packed items that are read when a window is filled, the newest ones. */
  readonly packedItems: number;
}

export const WINDOW_LIMITS: WindowLimits = { findings: 100_000, packedItems: 20_000 };

/** Rows of one statement: a transaction of some milliseconds, also for the embedded database. */
const PAGE = 500;
const PACKED_PAGE = 100;
/** An entry is visible some time after its time: when its transaction commits. */
const OVERLAP_US = 300_000_000;
/** Of so many findings the text is kept, so many characters of each. */
const TEXTS = 2000;
const TEXT_CHARACTERS = 1000;

/** Findings in the order in which they were made. */
export interface FindingWindow {
  /** Reads what is new since the last call, and forgets what is older than `fromUs`. Returns all findings: the same list if nothing has changed. */
  read(fromUs: number, signal: AbortSignal): Promise<readonly KnownFinding[]>;
}

/** An empty window: the first call of `read` fills it. */
export function createFindingWindow(db: Database, limits = WINDOW_LIMITS): FindingWindow {
  const known = new Map<string, KnownFinding>();
  let all: readonly KnownFinding[] = [];
  /** What was read completely; null: nothing. */
  let range: { readonly fromUs: number; readonly toUs: number } | null = null;

  async function read(fromUs: number, signal: AbortSignal): Promise<readonly KnownFinding[]> {
    // A longer window than before: what it adds was never read.
    const whole = range === null || fromUs < range.fromUs;
    if (whole) await readPacked(fromUs, signal);
    await readRecent(whole ? fromUs : Math.max(fromUs, range!.toUs - OVERLAP_US), signal);
    const forgotten = all.length > 0 && all[0]!.foundUs <= fromUs;
    if (known.size !== all.length || forgotten) arrange(fromUs);
    range = { fromUs, toUs: all.at(-1)?.foundUs ?? fromUs };
    return all;
  }

  function arrange(fromUs: number): void {
    all = [...known.values()]
      .sort(inOrder)
      .filter(({ foundUs }) => foundUs > fromUs)
      .slice(-limits.findings);
    if (all.length < known.size) {
      known.clear();
      for (const finding of all) known.set(keyOf(finding), finding);
    }
    for (const finding of all.slice(0, -TEXTS)) finding.text = null;
  }

  async function readRecent(sinceUs: number, signal: AbortSignal): Promise<void> {
    let before: Finding | null = null;
    for (let count = 0; count < limits.findings && !signal.aborted; count += PAGE) {
      const page: Finding[] = await recentFindings(db, sinceUs, PAGE, before);
      for (const finding of page) take(finding);
      if (page.length < PAGE) return;
      before = page.at(-1)!;
    }
  }

  async function readPacked(sinceUs: number, signal: AbortSignal): Promise<void> {
    let before: string | null = null;
    for (let items = 0; items < limits.packedItems && !signal.aborted; items += PACKED_PAGE) {
      const page: Awaited<ReturnType<typeof packedFindings>> = await packedFindings(db, sinceUs, PACKED_PAGE, before);
      for (const finding of page) take(finding);
      if (page.length === 0) return;
      before = page.at(-1)!.workItemId;
    }
  }

  function take(finding: Finding | { readonly content: null }): void {
    if (finding.content === null || known.has(keyOf(finding))) return;
    const { workItemId, seq, foundUs, content } = finding;
    const words = wordsOf(content);
    if (words.length === 0) return;
    const text = content.slice(0, TEXT_CHARACTERS).toWellFormed();
    known.set(keyOf(finding), { workItemId, seq, foundUs, words, text });
  }

  return { read };
}

/** The finding as sources of skills name it. */
export function keyOf({ workItemId, seq }: Pick<Finding, 'workItemId' | 'seq'>): string {
  return `${workItemId}/${seq}`;
}

function inOrder(one: KnownFinding, other: KnownFinding): number {
  if (one.foundUs !== other.foundUs) return one.foundUs - other.foundUs;
  if (one.workItemId !== other.workItemId) return one.workItemId < other.workItemId ? -1 : 1;
  return one.seq - other.seq;
}
