/** Looks for findings that recur, and submits work for the scribe: one daemon at a time, as long as it has this faculty (docs/skills.md). */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
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

export interface FindingsDaemon extends Omit<FindingsReader, 'embedder' | 'explain'> {
  readonly clock: Clock;
  readonly models: Pick<ModelSource, 'embedder' | 'explain'>;
  readonly registration: { readonly faculties: () => ReadonlyMap<string, Pick<Faculty, 'skillCreation'>> };
  /** The current setting. */
  readonly settings: () => ProposeSettings;
}

export interface RecurringFindings extends Service {
  /** Begins the interval anew: another one may hold now. */
  settingsChanged(): void;
}

/** Every daemon of a database may run one. The first look is one interval after the start. */
export function createRecurringFindings(daemon: FindingsDaemon): RecurringFindings {
  const { db, clock, log, daemonId, models, settings } = daemon;
  const stopping = new AbortController();
  const wake = createWake(clock);
  let changed = false;
  let loop: Promise<void> | null = null;
  /** Knows the findings of the window; exists while this daemon has the turn. */
  let proposer: SkillProposer | null = null;

  async function run(): Promise<void> {
    for (;;) {
      await wake.wait(settings().proposeIntervalSeconds * 1000 * (0.75 + Math.random() / 2), stopping.signal);
      if (stopping.signal.aborted) break;
      if (changed) {
        changed = false;
        continue;
      }
      try {
        await look();
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'could not look for findings that recur; trying again');
      }
    }
    await leave();
  }

  async function look(): Promise<void> {
    const current = settings();
    if (!current.propose || !hasScribe()) return leave();
    // Long enough that the daemon that knows the findings keeps the turn, unless it dies.
    const nowUs = await watchFindings(db, daemonId, 2 * current.proposeIntervalSeconds + 60);
    if (nowUs === null) {
      proposer = null;
      return;
    }
    proposer ??= createSkillProposer({ ...daemon, embedder: models.embedder, explain: models.explain });
    const { lost } = await proposer.pass(nowUs, current, stopping.signal);
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
    settingsChanged() {
      changed = true;
      wake.ring();
    },
    async start() {
      loop ??= run();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
