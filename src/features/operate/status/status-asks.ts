/** The part of `animus status` about what waits for people. */
import { type Output, styled } from '../../../terminal/view/output.ts';
import { age, counted, grouped, shortId } from '../../../terminal/view/quantities.ts';
import type { Status } from './status.ts';

/** A row for each of the oldest requests, and the command that shows all of them. */
export function showAsks(output: Output, { asks, at }: Pick<Status, 'asks' | 'at'>): void {
  if (asks.waiting === 0) return;
  const now = Date.parse(at);
  output.line();
  output.table(
    [
      { title: 'FOR YOU' },
      { title: 'FACULTY', shrink: true, optional: true },
      { title: 'ASKED', optional: true },
      { title: 'UNTIL', optional: true },
      { title: 'WHAT', shrink: true },
    ],
    asks.first.map(({ work_item_id: id, faculty, tool, kind, subject, shown, asked_at: asked, deadline, items }) => [
      styled(id === null ? '-' : shortId(id), 'yellow'),
      faculty,
      age(asked, now),
      deadline === null ? '-' : age(deadline, now),
      `${kind === 'human' && subject === 'question' ? 'question' : (tool ?? subject)}${items > 1 ? ` for ${counted(items, 'work item')}` : ''}: ${shown}`,
    ]),
  );
  if (asks.waiting > asks.first.length) output.line(`${grouped(asks.waiting - asks.first.length)} more`);
  output.line(styled('decide: animus inbox; animus work approve|deny|answer ID', 'dim'));
}
