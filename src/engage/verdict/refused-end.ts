/** How a run ends whose next turn was refused. */
import type { CallGuard } from '../calls/gate.ts';
import { nobodyRaises } from '../prompt/people.ts';
import type { Refusal } from '../turn/begin-turn.ts';
import type { EngageEnd } from './engage-end.ts';

/** `unattended`: nobody can raise a limit, so the work does not wait for that. */
export function refusedEnd({ permit, exceeded }: Refusal, { unattended }: Pick<CallGuard, 'unattended'>): EngageEnd {
  switch (permit) {
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'budget':
      if (exceeded?.action === 'die') {
        const { message, unpriced } = exceeded;
        return { kind: 'over_budget', message, ...(unpriced && { unpriced }) };
      }
      if (unattended) return { kind: 'over_budget', message: nobodyRaises(exceeded?.message ?? 'a limit is used up') };
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
