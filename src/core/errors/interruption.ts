import { AnimusError, isAnimusError } from './errors.ts';

/** The error of a command that SIGINT or SIGTERM ended. `goesOn`: what was stopped, what goes on without it, and how to come back to it. */
export function interruption(goesOn = ''): AnimusError {
  return new AnimusError('interrupted', { goesOn: goesOn === '' ? '' : `: ${goesOn}` });
}

/** The error, which says what goes on if it is an interruption that does not say so yet. */
export function sayingWhatGoesOn(error: unknown, goesOn: string): unknown {
  return isAnimusError(error, 'interrupted') && !error.details['goesOn'] ? interruption(goesOn) : error;
}
