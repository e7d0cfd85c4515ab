/** The part of `animus status` about what waits, and why. */
import { didYouMean } from '../../../core/errors/suggest.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import { age, grouped } from '../../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../../terminal/view/table.ts';
import type { Status } from './status.ts';

type Shown = Pick<Status, 'waiting' | 'daemons' | 'at' | 'states' | 'queue'>;

/** A row for each faculty and reason, of the items that were looked at: longest first. A number with a `+` is that of a sample. */
export function showWaiting(output: Output, status: Shown): void {
  const { waiting, daemons, at } = status;
  if (waiting.length === 0) return;
  const now = Date.parse(at);
  const served = daemons.filter(({ alive }) => alive).flatMap(({ faculties }) => faculties);
  output.line();
  showTable(output, waiting, [
    [cut('WAITS'), ({ faculty }) => faculty],
    [spare('STATE'), ({ state }) => state],
    [spare(right('ITEMS')), (row) => `${grouped(row.items)}${isSample(status, row) ? '+' : ''}`],
    [spare('SINCE'), ({ since }) => age(since, now)],
    [
      cut('WHY'),
      (row) => styled(`${row.why}${row.reason === 'unserved' ? didYouMean(row.faculty, served) : ''}`, 'yellow'),
    ],
    [spare(cut('UNTIL')), ({ ends }) => ends],
  ]);
  output.line(styled('why one item waits: animus work show ID', 'dim'));
}

/** Whether more of these items wait than were looked at: of queued work the first of each faculty, of other work the oldest of all faculties. */
function isSample({ waiting, states, queue }: Shown, { faculty, state }: { faculty: string; state: string }): boolean {
  const isQueued = state === 'queued';
  const seen = waiting
    .filter((row) => row.state === state && (!isQueued || row.faculty === faculty))
    .reduce((sum, { items }) => sum + items, 0);
  const all = isQueued ? queue.find((line) => line.faculty === faculty)?.queued : states[state as keyof typeof states];
  return (all ?? 0) > seen;
}
