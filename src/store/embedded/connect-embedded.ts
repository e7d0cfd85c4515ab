/** Opens the embedded database for a command: through its owner, or as its owner. */
import { AnimusError } from '../../core/errors/errors.ts';
import { interruption } from '../../core/errors/interruption.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { EmbeddedDatabase, EmbeddedOptions } from './embedded.ts';
import { connectToEmbeddedOwner } from './embedded-owner.ts';

/**
 * For a CLI command: connects to the process that owns the directory, or owns it for as long as the command takes, and then
 * for up to 5 s more while another command uses it. An owner that is just starting or leaving is waited for, up to `waitMs`
 * (default 30,000: the first start of a slow machine takes that long).
 */
export async function connectOrOpenEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { clock = systemClock, waitMs = 30_000 } = options;
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const database = await connectToEmbeddedOwner(options);
    if (database) return database;
    try {
      const { openEmbedded } = await import('./embedded.ts');
      return await openEmbedded({ lingerMs: COMMAND_LINGER_MS, ...options, waitMs: 0 });
    } catch (error) {
      if (!(error instanceof AnimusError) || error.code !== 'db.embedded_locked') throw error;
      if (clock.monotonicMs() >= deadline) throw error;
    }
    await clock.sleep(LOCK_POLL_MS, options.signal);
    if (options.signal?.aborted) throw interruption();
  }
}

const LOCK_POLL_MS = 50;
/** Other commands end within that; less than a command waits for the directory. */
const COMMAND_LINGER_MS = 5_000;
