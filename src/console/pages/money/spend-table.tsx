/** Groups of calls with what they cost; what a sum leaves out or guesses is said beside it. */
import type { ComponentChildren } from 'preact';
import { usd } from '../../ui/money.ts';
import { compact } from '../../ui/numbers.ts';
import { S } from '../../words/strings.ts';
import { remarksOf, type Unsure } from './remarks.ts';

export interface SpendRow extends Unsure {
  readonly key: string;
  readonly name: ComponentChildren;
  readonly usd: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** Left out: not known for this grouping. */
  readonly calls?: number;
}

interface SpendTableProps {
  readonly title: string;
  readonly rows: readonly SpendRow[];
  /** Null: nobody has added it up. */
  readonly total: Omit<SpendRow, 'key' | 'name'> | null;
}

export function SpendTable({ title, rows, total }: SpendTableProps) {
  if (rows.length === 0) return <p class="faint">{S.money.nothing}</p>;
  const { columns } = S.money;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col" class="number">
              {columns.cost}
            </th>
            {total !== null && (
              <th scope="col" class="number">
                {columns.share}
              </th>
            )}
            <th scope="col" class="number">
              {columns.calls}
            </th>
            <th scope="col" class="number">
              {columns.input}
            </th>
            <th scope="col" class="number">
              {columns.output}
            </th>
            <th scope="col">{columns.remarks}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row" class="money-name">
                {row.name}
              </th>
              <Figures row={row} total={total} />
            </tr>
          ))}
        </tbody>
        {total !== null && (
          <tfoot>
            <tr>
              <th scope="row">{columns.total}</th>
              <Figures row={total} total={total} />
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

type FiguresProps = { readonly row: Omit<SpendRow, 'key' | 'name'>; readonly total: SpendTableProps['total'] };

function Figures({ row, total }: FiguresProps) {
  const all = total?.usd ?? 0;
  return (
    <>
      <td class="number">{usd(row.usd)}</td>
      {total !== null && <td class="number">{all === 0 || row.usd === null ? '' : S.item.percent(row.usd / all)}</td>}
      <td class="number">{row.calls?.toLocaleString('en') ?? ''}</td>
      <td class="number">{row.input_tokens === null ? '' : compact(row.input_tokens)}</td>
      <td class="number">{row.output_tokens === null ? '' : compact(row.output_tokens)}</td>
      <td class="money-remarks">{remarksOf(row).join('; ')}</td>
    </>
  );
}
