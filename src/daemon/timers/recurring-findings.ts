/** Looks for findings that recur, and submits work for the scribe: one daemon at a time, while it has this faculty (docs/skills.md). */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import { leaveFindings, SCRIBE, watchFindings } from '../../store/work/findings.ts';
import {
  createSkillProposer,
  type FindingsReader,
  type ProposeSettings,
  type SkillProposer,
} from '../findings/propose-skills.ts';
import type { ModelSource } from '../models/focus-model.ts';

interface FindingsDaemon extends Omit<FindingsReader, 'embedder' | 'explain'> {
  readonly models: Pick<ModelSource, 'embedder' | 'explain'>;
  readonly registration: { readonly faculties: () => ReadonlyMap<string, Pick<Faculty, 'skillCreation'>> };
  /** The current setting. */
  readonly settings: () => ProposeSettings;
}

export interface RecurringFindings extends Service {
  /** Starts the interval again: a different one may apply now. */
  settingsChanged(): void;
}

/** Every daemon of a database may run one. The first look is one interval after the start. */
export function createRecurringFindings(daemon: FindingsDaemon): RecurringFindings {
  const { db, clock, log, daemonId, models, settings } = daemon;
  const wake = createWake(clock);
  const loop = createLoop(run);
  let changed = false;
  /** Knows the findings of the window; exists while this daemon has the turn. */
  let proposer: SkillProposer | null = null;

  async function run(stopping: AbortSignal): Promise<void> {
    for (;;) {
      await wake.wait(settings().proposeIntervalSeconds * 1000 * (0.75 + Math.random() / 2), stopping);
      if (stopping.aborted) break;
      if (changed) {
        changed = false;
        continue;
      }
      try {
        await look(stopping);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'could not look for findings that recur; trying again');
      }
    }
    await leave();
  }

  async function look(stopping: AbortSignal): Promise<void> {
    const current = settings();
    if (!current.propose || !hasScribe()) return leave();
    // Long enough that the daemon that knows the findings keeps the turn, unless it dies.
    const nowUs = await watchFindings(db, daemonId, 2 * current.proposeIntervalSeconds + 60);
    if (nowUs === null) {
      proposer = null;
      return;
    }
    proposer ??= createSkillProposer({ ...daemon, embedder: models.embedder, explain: models.explain });
    const { lost } = await proposer.pass(nowUs, current, stopping);
    if (lost) proposer = null;
  }

  /** A faculty of this name that may not write skills is another one. */
  function hasScribe(): boolean {
    const scribe = daemon.registration.faculties().get(SCRIBE);
    return scribe !== undefined && scribe.skillCreation !== 'no';
  }

  async function leave(): Promise<void> {
    if (proposer === null) return;
    proposer = null;
    await leaveFindings(db, daemonId).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'could not hand over the look for recurring findings to another daemon');
    });
  }

  return {
    ...loop,
    settingsChanged() {
      changed = true;
      wake.ring();
    },
  };
}
