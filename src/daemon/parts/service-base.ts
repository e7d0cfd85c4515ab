/** What almost every service of a daemon works with. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';

export interface ServiceBase {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}
