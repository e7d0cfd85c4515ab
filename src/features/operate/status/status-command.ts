/** `animus status`: shows the state of the system, once or repeatedly. */

import { wholeNumber } from '../../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import type { AddOperation } from '../../../terminal/command/operation-command.ts';
import { loadStatusFeatures } from '../../features.ts';
import { readStatus } from './status.ts';
import { reportJson, type StatusReport, showStatus } from './status-view.ts';

interface StatusOptions extends CommonOptions {
  readonly watch?: boolean;
  readonly every: number;
}

export const status: AddOperation = (program, run) => {
  addCommand(program, 'status', {
    summary: 'show the database, the queue, running work, daemons, dead letters, schedules and the cost of today',
    examples: ['animus status', 'animus status --json', 'animus status --watch --every 5'],
  })
    .option('--watch', 'refresh until Ctrl-C: in place on a terminal, otherwise one report after the other')
    .option('--every <seconds>', 'with --watch: seconds between refreshes', wholeNumber(1, 3600), 2)
    .action(run(statusCommand));
};

async function statusCommand(invocation: Invocation, { watch, every }: StatusOptions): Promise<number> {
  const look = () => readReport(invocation);
  if (watch) return (await import('./status-watch.ts')).watchStatus(invocation, look, every);
  const report = await look();
  invocation.output.document(reportJson(report));
  showStatus(invocation.output, report);
  return 0;
}

async function readReport(invocation: Invocation): Promise<StatusReport> {
  const features = (await loadStatusFeatures()).flatMap(({ status }) => status ?? []);
  return withDatabase(invocation, async (db) => ({
    kind: db.kind,
    where: db.where,
    status: await readStatus(db),
    parts: await Promise.all(features.map(async ({ last = false, load }) => ({ last, show: await load() }))),
  }));
}
