/** How a run ends whose next turn was refused. */
import type { ModelTurn } from '../turn/model-turn.ts';
import type { EngageEnd } from './engage-end.ts';

export function refusedEnd({ permit, exceeded }: Extract<ModelTurn, { kind: 'refused' }>): EngageEnd {
  switch (permit) {
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'budget':
      if (exceeded?.action === 'die') return { kind: 'over_budget', message: exceeded.message };
      return { kind: 'parked' };
    case 'budget_busy':
      return { kind: 'interrupted', reason: 'budget_busy' };
    // `reserve` and `mail`: the next run makes a hold, and reads the messages.
    case 'paused':
    case 'reserve':
    case 'mail':
      return { kind: 'interrupted', reason: 'paused' };
    default:
      return permit satisfies never;
  }
}
