/** The part of `animus status` about what waits for people. */
import { type Output, styled } from '../../../terminal/view/output.ts';
import { age, counted, grouped, shortId } from '../../../terminal/view/quantities.ts';
import { cut, showTable, spare } from '../../../terminal/view/table.ts';
import type { Status } from './status.ts';

/** A row for each of the oldest requests, and the command that shows all of them. */
export function showAsks(output: Output, { asks, at }: Pick<Status, 'asks' | 'at'>): void {
  if (asks.waiting === 0) return;
  const now = Date.parse(at);
  output.line();
  showTable(output, asks.first, [
    ['FOR YOU', ({ work_item_id: id }) => styled(id === null ? '-' : shortId(id), 'yellow')],
    [spare(cut('FACULTY')), ({ faculty }) => faculty],
    [spare('ASKED'), ({ asked_at: asked }) => age(asked, now)],
    [spare('UNTIL'), ({ deadline }) => (deadline === null ? '-' : age(deadline, now))],
    [cut('WHAT'), (one) => `${whatOf(one)}: ${one.shown}`],
  ]);
  if (asks.waiting > asks.first.length) output.line(`${grouped(asks.waiting - asks.first.length)} more`);
  output.line(styled('decide: animus inbox; animus work approve|deny|answer ID', 'dim'));
}

function whatOf({ kind, subject, tool, items }: Status['asks']['first'][number]): string {
  const what = kind === 'human' && subject === 'question' ? 'question' : (tool ?? subject);
  return items > 1 ? `${what} for ${counted(items, 'work item')}` : what;
}
