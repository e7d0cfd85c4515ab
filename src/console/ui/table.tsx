/** A table that can be moved sideways where it is wider than the page. */
import type { ComponentChildren } from 'preact';

/** Its title; with `number`, its values are aligned to the right. */
export type Column = string | { readonly number: string };

interface TableProps {
  readonly columns: readonly Column[];
  /** What is said where there are no rows. */
  readonly none: string;
  readonly count: number;
  /** The rows. */
  readonly children: ComponentChildren;
}

export function Table({ columns, none, count, children }: TableProps) {
  if (count === 0) return <p class="faint">{none}</p>;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : (
                <th key={column.number} scope="col" class="number">
                  {column.number}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
