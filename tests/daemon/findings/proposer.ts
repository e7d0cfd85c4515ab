/** A daemon that looks for findings that recur. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createSkillProposer, type FindingsReader } from '../../../src/daemon/findings/propose-skills.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { leaveFindings, watchFindings } from '../../../src/store/work/findings.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

export const SETTINGS = { propose: true, proposeThreshold: 3, proposeWindowDays: 30, proposeIntervalSeconds: 600 };

/** A pass returns how many items it submitted. */
export function proposerOf(db: Database, more: Partial<FindingsReader> = {}) {
  const daemonId = randomUUID();
  const proposer = createSkillProposer({
    db,
    clock: systemClock,
    log: silentLog,
    daemonId,
    embedder: null,
    explain: ({ message }) => message,
    ...more,
  });
  return {
    daemonId,
    proposer,
    async pass(settings = SETTINGS): Promise<number> {
      const nowUs = await watchFindings(db, daemonId, 60);
      if (nowUs === null) return 0;
      return (await proposer.pass(nowUs, settings, new AbortController().signal)).ids.length;
    },
    leave: () => leaveFindings(db, daemonId),
  };
}
