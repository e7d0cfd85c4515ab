/** What `animus spend` prints for people. */

import { type Output, styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
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
import type { Column } from '../../terminal/view/table.ts';
import type { Spend, SpendGroup, SpendPeriod, SpendRow } from './spend.ts';
import type { ItemOrder, SpendItem, SpendRoot } from './spend-items.ts';

const AMOUNTS: readonly Column[] = [
  { title: 'CALLS', align: 'right', optional: true },
  { title: 'IN', align: 'right', optional: true },
  { title: 'OUT', align: 'right', optional: true },
  { title: 'COST', align: 'right' },
];

/** A table of sums, and their total. */
export function showSpend(output: Output, period: SpendPeriod, by: readonly SpendGroup[], spend: Spend): void {
  const { rows, total } = spend;
  if (rows.length === 0) {
    output.note(`no model call ${daysOf(period)}`);
    return;
  }
  const columns = by.map((group) => ({ title: group.toUpperCase(), shrink: true }));
  output.table(
    [...columns, ...AMOUNTS],
    rows.map((row) => [
      ...by.map((group) => valueOf(row, group)),
      callsOf(row),
      ...[row.input_tokens, row.output_tokens].map((count) => tokens(count, row.uncounted_calls)),
      cost(row.usd, row.unpriced_calls),
    ]),
  );
  output.line();
  output.line(
    styled('Spent     ', 'bold'),
    `${cost(total.usd, total.unpriced_calls)}${uncertainParts(total)} in ${countedCalls(total)}, ${tokens(total.input_tokens, total.uncounted_calls)} tokens in, ${tokens(total.output_tokens, total.uncounted_calls)} out, ${daysOf(period)}`,
  );
  if (total.unpriced_calls > 0) output.note(noteUnpriced(total.unpriced_calls, rows));
  if (total.uncounted_calls > 0) output.note(noteUncounted(total.uncounted_calls));
  if (total.groups > rows.length) {
    output.note(`${counted(total.groups - rows.length, 'more row')}; --limit shows more. The sum contains them`);
  }
  const { details_since: since } = spend;
  if (since !== null && rows.some((row) => by.some((group) => row[group] === null))) {
    const recorded = `operations and submitters are recorded since ${since.toISOString().slice(0, 16)}Z, sources since a later version`;
    output.note(`(not known): ${recorded}`);
  }
}

/** A table of items, the dearest or the slowest first. */
export function showItems(output: Output, period: SpendPeriod, order: ItemOrder, items: readonly SpendItem[]): void {
  if (items.length === 0) {
    output.note(`no work item that was submitted ${daysOf(period)} has begun`);
    return;
  }
  const columns: readonly Column[] = [
    { title: 'ID' },
    { title: 'STATE' },
    { title: 'FACULTY', shrink: true, optional: true },
    { title: 'COST', align: 'right' },
    { title: 'TURNS', align: 'right', optional: true },
    { title: 'TOOK', align: 'right' },
    { title: 'WORKED', align: 'right', optional: true },
    { title: 'DESCRIPTION', shrink: true, optional: true },
  ];
  output.table(
    columns,
    items.map((item) => [
      shortId(item.id),
      stateLabel(item.state),
      item.faculty,
      cost(item.usd, item.unpriced_calls),
      String(item.turns),
      duration(item.elapsed_ms),
      duration(item.worked_ms),
      shortDescription(item.description, 200),
    ]),
  );
  output.line();
  output.line(styled(`The ${order} work that was submitted ${daysOf(period)} and still exists`, 'dim'));
}

/** A table of root items with the sums of their trees. */
export function showRoots(output: Output, period: SpendPeriod, roots: readonly SpendRoot[]): void {
  if (roots.length === 0) {
    output.note(`no work item was submitted ${daysOf(period)}`);
    return;
  }
  const columns: readonly Column[] = [
    { title: 'ROOT' },
    { title: 'STATE' },
    { title: 'FACULTY', shrink: true, optional: true },
    { title: 'SUBMITTER', shrink: true, optional: true },
    { title: 'ITEMS', align: 'right' },
    { title: 'TURNS', align: 'right', optional: true },
    { title: 'COST', align: 'right' },
    { title: 'DESCRIPTION', shrink: true, optional: true },
  ];
  output.table(
    columns,
    roots.map((root) => [
      shortId(root.id),
      stateLabel(root.state),
      root.faculty,
      root.submitted_by ?? UNKNOWN,
      grouped(root.items),
      grouped(root.turns),
      cost(root.usd, root.unpriced_calls),
      shortDescription(root.description, 200),
    ]),
  );
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
  const why = 'the model has no price, or nothing says how many tokens it was';
  return `${missing}: ${why}; a price in animus.toml ([models."PROVIDER/MODEL"] usd_per_million) counts for calls to come`;
}

/** What is missing from the tokens. */
function noteUncounted(calls: number): string {
  return `the tokens of ${counted(calls, 'call')} are not known: the provider gave no counts`;
}

const UNKNOWN = styled('(not known)', 'dim');

function valueOf(row: SpendRow, group: SpendGroup): Part {
  return row[group] ?? UNKNOWN;
}

function daysOf({ since, until }: SpendPeriod): string {
  return until === null ? `since ${since} (UTC days)` : `from ${since} to before ${until} (UTC days)`;
}
