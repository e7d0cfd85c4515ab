/** What `animus spend` prints for people. */

import { type Output, styled } from '../../terminal/view/output.ts';
import {
  callsOf,
  cost,
  counted,
  countedCalls,
  duration,
  grouped,
  shortDescription,
  shortId,
  stateLabel,
  tokens,
  uncertainParts,
} from '../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../terminal/view/table.ts';
import type { Spend, SpendGroup, SpendPeriod, SpendRow } from './spend.ts';
import type { ItemOrder, SpendItem, SpendRoot } from './spend-items.ts';

/** A table of sums, and their total. */
export function showSpend(output: Output, period: SpendPeriod, by: readonly SpendGroup[], spend: Spend): void {
  const { rows, total } = spend;
  if (rows.length === 0) return output.note(`no model call ${daysOf(period)}`);
  showTable(output, rows, [
    ...by.map((group) => [cut(group.toUpperCase()), (row: SpendRow) => row[group] ?? UNKNOWN] as const),
    [spare(right('CALLS')), callsOf],
    [spare(right('IN')), (row) => tokens(row.input_tokens, row.uncounted_calls)],
    [spare(right('OUT')), (row) => tokens(row.output_tokens, row.uncounted_calls)],
    [right('COST'), costOf],
  ]);
  output.line();
  output.line(
    styled('Spent     ', 'bold'),
    `${cost(total.usd, total.unpriced_calls)}${uncertainParts(total)} in ${countedCalls(total)}, ${tokens(total.input_tokens, total.uncounted_calls)} tokens in, ${tokens(total.output_tokens, total.uncounted_calls)} out, ${daysOf(period)}`,
  );
  if (total.unpriced_calls > 0) output.note(noteUnpriced(total.unpriced_calls, rows));
  if (total.uncounted_calls > 0) output.note(noteUncounted(total.uncounted_calls));
  if (total.groups > rows.length) {
    output.note(`${counted(total.groups - rows.length, 'more row')}; --limit shows more. The sum includes them`);
  }
  const { details_since: since } = spend;
  if (since !== null && rows.some((row) => by.some((group) => row[group] === null))) {
    const recorded = `operations and submitters are recorded since ${since.toISOString().slice(0, 16)}Z, sources since a later version`;
    output.note(`(not known): ${recorded}`);
  }
}

/** A table of items, the dearest or the slowest first. */
export function showItems(output: Output, period: SpendPeriod, order: ItemOrder, items: readonly SpendItem[]): void {
  if (items.length === 0) return output.note(`no work item that was submitted ${daysOf(period)} has begun`);
  showTable(output, items, [
    ['ID', ({ id }) => shortId(id)],
    ['STATE', ({ state }) => stateLabel(state)],
    [spare(cut('FACULTY')), ({ faculty }) => faculty],
    [right('COST'), costOf],
    [spare(right('TURNS')), ({ turns }) => String(turns)],
    [right('TOOK'), ({ elapsed_ms: elapsedMs }) => duration(elapsedMs)],
    [spare(right('WORKED')), ({ worked_ms: workedMs }) => duration(workedMs)],
    [spare(cut('DESCRIPTION')), ({ description }) => shortDescription(description, 200)],
  ]);
  output.line();
  output.line(styled(`The ${order} work that was submitted ${daysOf(period)} and still exists`, 'dim'));
}

/** A table of root items with the sums of their trees. */
export function showRoots(output: Output, period: SpendPeriod, roots: readonly SpendRoot[]): void {
  if (roots.length === 0) return output.note(`no work item was submitted ${daysOf(period)}`);
  showTable(output, roots, [
    ['ROOT', ({ id }) => shortId(id)],
    ['STATE', ({ state }) => stateLabel(state)],
    [spare(cut('FACULTY')), ({ faculty }) => faculty],
    [spare(cut('SUBMITTER')), ({ submitted_by: submitter }) => submitter ?? UNKNOWN],
    [right('ITEMS'), (root) => grouped(root.items)],
    [spare(right('TURNS')), ({ turns }) => grouped(turns)],
    [right('COST'), costOf],
    [spare(cut('DESCRIPTION')), ({ description }) => shortDescription(description, 200)],
  ]);
  output.line();
  output.line(styled(`The dearest trees whose root was submitted ${daysOf(period)} and still exists`, 'dim'));
}

/** What is missing from a sum, and the remedy. */
function noteUnpriced(calls: number, rows: readonly SpendRow[] = []): string {
  const models = new Set(
    rows.flatMap(({ unpriced_calls: unpriced, model }) => (unpriced > 0 && model !== null ? [model] : [])),
  );
  const whose = models.size === 0 ? '' : ` of ${[...models].join(', ')}`;
  const missing = `the cost of ${counted(calls, 'call')}${whose} is not known`;
  const why = 'the model has no price, or nothing says how many tokens it took';
  return `${missing}: ${why}; a price in animus.toml ([models."PROVIDER/MODEL"] usd_per_million) counts for future calls`;
}

/** What is missing from the tokens. */
function noteUncounted(calls: number): string {
  return `the tokens of ${counted(calls, 'call')} are not known: the provider gave no counts`;
}

const UNKNOWN = styled('(not known)', 'dim');

function costOf({ usd, unpriced_calls: unpriced }: SpendItem | SpendRoot | SpendRow): string {
  return cost(usd, unpriced);
}

function daysOf({ since, until }: SpendPeriod): string {
  return until === null ? `since ${since} (UTC days)` : `from ${since} to before ${until} (UTC days)`;
}
