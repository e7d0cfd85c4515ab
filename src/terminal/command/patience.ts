import { systemClock } from '../../core/lifecycle/clock.ts';

/** How long an act of a terminal is tried again while another transaction keeps rows locked: as over HTTP. */
export const PATIENCE = { clock: systemClock, forMs: 5000 } as const;
