/** Keeps `status` informed about tools of MCP servers that are not pinned, or whose calls are refused. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Database } from '../../store/sql/database.ts';
import { readMcpPins } from '../../store/work/mcp-pins.ts';
import type { Log } from '../../telemetry/log.ts';
import { pinRemarks } from '../../tools/mcp/pin-remarks.ts';

export interface McpWatchMeans {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollSeconds: number;
  readonly faculties: () => Iterable<Faculty>;
  /** Gets all remarks whenever they have changed. */
  readonly onRemarks: (remarks: readonly string[]) => Promise<void>;
}

/** Looks only at faculties that have MCP servers. */
export function createMcpWatch({ db, clock, log, pollSeconds, faculties, onRemarks }: McpWatchMeans): Service {
  const stopping = new AbortController();
  let watching: Promise<void> | null = null;
  let known = '';

  async function look(): Promise<void> {
    const remarks: string[] = [];
    for (const faculty of faculties()) {
      if (faculty.mcp !== undefined) remarks.push(...pinRemarks(faculty, await readMcpPins(db, faculty.name)));
    }
    if (remarks.join('\n') === known) return;
    known = remarks.join('\n');
    await onRemarks(remarks);
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look();
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'the pins of MCP tools could not be read');
      }
      await clock.sleep(pollSeconds * 1000, stopping.signal).catch(() => {});
    }
  }

  return {
    async start() {
      watching = watch();
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
