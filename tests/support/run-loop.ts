/** Runs the loop of a focus from parts that tests change one by one. */
import type { CallGuard } from '../../src/engage/calls/gate.ts';
import type { Reach } from '../../src/engage/calls/reach.ts';
import { type LoopStart, engage as run } from '../../src/engage/loop.ts';
import type { Limits, LoopFocus, LoopReach, LoopRun } from '../../src/engage/turn/loop-state.ts';
import { createTurnTime } from '../../src/engage/turn/turn-time.ts';
import { createUnsentTurn } from '../../src/engage/turn/unsent-turn.ts';
import type { EngageEnd } from '../../src/engage/verdict/engage-end.ts';
import { createTurnKeeper } from '../../src/store/transcript/budgeted-turns.ts';
import type { Transcript } from '../../src/store/transcript/transcript.ts';

/** All that a loop works with, in one object. `focus`: its key. Default: no limits of cost, and every answer is recorded by itself. */
export interface LoopParts
  extends Omit<LoopFocus, 'key' | 'limits'>,
    Limits,
    Omit<LoopRun, 'time' | 'unsent' | 'budget'>,
    Omit<Reach, 'guard'>,
    CallGuard,
    Pick<LoopReach, 'beforeRequest' | 'directory'>,
    Partial<Pick<LoopRun, 'unsent' | 'budget'>>,
    Pick<LoopStart, 'begun'> {
  readonly focus: LoopFocus['key'];
}

/** Runs the loop from what is recorded. */
export function engage(parts: LoopParts, recorded?: Transcript): Promise<EngageEnd> {
  const { db, focus: key, callScope, begun } = parts;
  const { maxTurns, outcomeSchema, closingTurn = false } = parts;
  const time = createTurnTime();
  const budget = parts.budget ?? { limited: false, keepTurn: createTurnKeeper(db), onUsed: () => {} };
  const unsent = parts.unsent ?? createUnsentTurn(db, key, callScope.lease);
  const start = { ...(recorded && { recorded }), ...(begun && { begun }) };
  const focus: LoopFocus = { ...parts, key, limits: { maxTurns, outcomeSchema, closingTurn } };
  return run(focus, { ...parts, time, budget, unsent }, { ...parts, guard: parts }, start);
}
