/** The digest of awareness for foci that begin: read once for many of them. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readAncestors, readAudience, readAwareness } from '../../store/work/awareness.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import { record } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import { type AwarenessView, awarenessView, resourcesOf } from '../../tools/awareness/awareness-view.ts';
import { awarenessDigest } from '../../tools/awareness/digest-text.ts';

/** Makes the digest for the first message of a focus; null: there is nothing to tell, or the faculty wants none. */
export type DigestFor = (work: ClaimedWork, faculty: Faculty) => Promise<string | null>;

/** How old what a focus begins with may be. It costs some milliseconds to read, and a busy daemon begins hundreds of foci a second. */
const FRESH_MS = 1000;
/** Parents whose ancestors are kept; they never change. */
const MAX_PARENTS = 1000;

/** Shares what the readers of the items may see among all foci that begin within a second. A failure is logged: work does not need the digest. */
export function shareAwareness(db: Queryable, clock: Clock, log: Log): DigestFor {
  const views = new Map<string, { readonly readAtMs: number; readonly view: Promise<AwarenessView> }>();
  const parents = new Map<string, Promise<readonly string[]>>();

  function viewOf(readers: readonly string[], hours: number): Promise<AwarenessView> {
    const key = JSON.stringify([hours, ...readers]);
    const nowMs = clock.monotonicMs();
    const known = views.get(key);
    if (known && nowMs - known.readAtMs < FRESH_MS) return known.view;
    for (const [other, { readAtMs }] of views) if (nowMs - readAtMs >= FRESH_MS) views.delete(other);
    const view = readAwareness(db, readers, hours).then(awarenessView);
    views.set(key, { readAtMs: nowMs, view });
    // Callers that await it get the error; the next focus reads again.
    void view.catch(() => views.delete(key));
    return view;
  }

  /** Most work has one reader, and no statement is needed. */
  async function readersOf({ id, source, parentId, submittedBy }: ClaimedWork): Promise<readonly string[]> {
    if (source === 'chat' || parentId !== null) return readAudience(db, id);
    return submittedBy === null ? [] : [submittedBy];
  }

  async function ancestorsOf({ parentId }: ClaimedWork): Promise<readonly string[]> {
    if (parentId === null) return [];
    let above = parents.get(parentId);
    if (above === undefined) {
      if (parents.size >= MAX_PARENTS) parents.clear();
      parents.set(parentId, (above = readAncestors(db, parentId)));
      void above.catch(() => parents.delete(parentId));
    }
    return [parentId, ...(await above)];
  }

  return async (work, faculty) => {
    const settings = faculty.awareness;
    if (!settings?.enabled) return null;
    const attributes = { 'work.id': work.id, 'work.faculty': work.faculty };
    try {
      return await span('work.awareness.digest', attributes, async (reading) => {
        const beganMs = clock.monotonicMs();
        const [view, ancestors] = [
          await viewOf(await readersOf(work), settings.lookbackHours),
          await ancestorsOf(work),
        ];
        const digest = awarenessDigest(view, { id: work.id, ancestors, resources: resourcesOf(work.params) }, settings);
        const tokens = digest === null ? 0 : estimateTokens(digest);
        reading.set({ 'work.awareness.digest_tokens': tokens });
        record('work.awareness.digest_size', tokens, { faculty: work.faculty });
        record('work.awareness.digest_latency', clock.monotonicMs() - beganMs, { faculty: work.faculty });
        return digest;
      });
    } catch (error) {
      const fields = { work_item_id: work.id, faculty: work.faculty, error: messageOf(error) };
      log.warn(fields, 'the digest of other work could not be read; the focus begins without it');
      return null;
    }
  };
}
