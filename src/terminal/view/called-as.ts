import type { Environment } from '../../core/config/environment.ts';

/** How animus was called, for commands that are printed to be copied: `npx animus` where npx did it, otherwise `animus`. */
export function calledAs(env: Environment): string {
  return env['npm_command'] === 'exec' ? 'npx animus' : 'animus';
}
