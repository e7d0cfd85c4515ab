/** Keeps `status` informed about tools of MCP servers that are not pinned, or whose calls are refused. */
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import { readMcpPins } from '../../store/work/mcp-pins.ts';
import { pinRemarks } from '../../tools/mcp/selected-pins.ts';

/** Looks only at faculties that have MCP servers. */
export function createMcpWatch({ db, clock, log, settings, faculties, report }: PartOfDaemon): Service {
  let known = '';

  async function look(): Promise<void> {
    const remarks: string[] = [];
    for (const faculty of faculties()) {
      if (faculty.mcp !== undefined) remarks.push(...pinRemarks(faculty, await readMcpPins(db, faculty.name)));
    }
    if (remarks.join('\n') === known) return;
    known = remarks.join('\n');
    await report(remarks);
  }

  return createLoop(async (stopping) => {
    while (!stopping.aborted) {
      try {
        await look();
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'the pins of MCP tools could not be read');
      }
      await clock.sleep(settings().daemon.pollSeconds * 1000, stopping).catch(() => {});
    }
  });
}
