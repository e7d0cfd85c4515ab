/** Keeps the limits of this daemon's files in the database, and settles what turns under limits have cost. */
import { asksModel, type Faculty } from '../../catalog/faculty/faculty.ts';
import type { Budget } from '../../core/config/sections/budget.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import {
  type DeclaredLimit,
  declareBudgets,
  pruneBudgets,
  returnSlices,
  sweepBudgets,
} from '../../store/work/budgets.ts';
import type { ServiceBase } from '../parts/service-base.ts';

interface BudgetedDaemon extends ServiceBase {
  readonly daemonId: string;
  readonly registration: { faculties(): ReadonlyMap<string, Faculty> };
  /** `[budget]` of the newest configuration. */
  readonly budget: () => Budget;
}

export interface BudgetKeeper extends Service {
  /** Begins the next round now: `[budget]` has changed. */
  look(): void;
  /** Writes the limits of the files as they are now. */
  declare(): Promise<void>;
}

/** Between two rounds. A turn that needs to know settles what it needs itself. */
const INTERVAL_MS = 15_000;
/** About every five minutes. */
const PRUNE_ROUNDS = 20;

/** The limits are written before `start` resolves, so that no turn begins before them. */
export function createBudgetKeeper({ db, clock, log, daemonId, registration, budget }: BudgetedDaemon): BudgetKeeper {
  const wake = createWake(clock);
  const loop = createLoop(run);

  async function declare(): Promise<void> {
    const faculties = registration.faculties();
    await declareBudgets(db, daemonId, limitsOf(faculties, budget()), [...faculties.keys()]);
  }

  async function run(stopping: AbortSignal): Promise<void> {
    for (let round = 1; ; round++) {
      await wake.wait(INTERVAL_MS * (0.5 + Math.random()), stopping);
      if (stopping.aborted) return;
      try {
        await declare();
        await sweepBudgets(db, daemonId);
        if (round % PRUNE_ROUNDS === 0) await pruneBudgets(db);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'could not settle budgets; the next round tries again');
      }
    }
  }

  return {
    declare,
    look: () => wake.ring(),
    async start() {
      await declare();
      await loop.start();
    },
    async stop() {
      await loop.stop();
      try {
        await sweepBudgets(db, daemonId);
        await returnSlices(db, daemonId, true);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'could not return the slices of budgets; another daemon will take them');
      }
    },
  };
}

function limitsOf(faculties: ReadonlyMap<string, Faculty>, appliance: Budget): DeclaredLimit[] {
  const ofFaculties = [...faculties.values()].flatMap(({ name, budget, engage }) =>
    budget === undefined || !asksModel(engage) ? [] : declared(budget, name),
  );
  return [...ofFaculties, ...declared(appliance, null)];
}

function declared({ limits, onExceeded }: Budget, faculty: string | null): DeclaredLimit[] {
  return limits.map(({ scope, period, unit, amount }) => ({
    scope,
    faculty,
    period,
    unit,
    amount,
    on_exceeded: onExceeded,
  }));
}
