import { systemClock } from '../../../core/lifecycle/clock.ts';

/** How long a conversation or an answer that another transaction has locked is waited for. */
export const PATIENCE = { clock: systemClock, forMs: 5000 } as const;
