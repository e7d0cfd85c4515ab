/** The part of `animus status` about what waits, and why. */
import { didYouMean } from '../../core/errors/suggest.ts';
import type { Status } from '../../store/views/status-view.ts';
import { type Output, styled } from '../view/output.ts';
import { age, grouped } from '../view/quantities.ts';

/** A row for each faculty and reason, of the items that were looked at: longest first. */
export function showWaiting(
  output: Output,
  { waiting, daemons, at }: Pick<Status, 'waiting' | 'daemons' | 'at'>,
): void {
  if (waiting.length === 0) return;
  const now = Date.parse(at);
  const served = daemons.filter(({ alive }) => alive).flatMap(({ faculties }) => faculties);
  output.line();
  output.table(
    [
      { title: 'WAITS', shrink: true },
      { title: 'STATE', optional: true },
      { title: 'ITEMS', align: 'right', optional: true },
      { title: 'SINCE', optional: true },
      { title: 'WHY', shrink: true },
      { title: 'UNTIL', shrink: true, optional: true },
    ],
    waiting.map(({ faculty, state, reason, items, since, why, ends }) => [
      faculty,
      state,
      grouped(items),
      age(since, now),
      styled(reason === 'unserved' ? `${why}${didYouMean(faculty, served)}` : why, 'yellow'),
      ends,
    ]),
  );
  output.line(styled('why one item waits: animus work show ID', 'dim'));
}
