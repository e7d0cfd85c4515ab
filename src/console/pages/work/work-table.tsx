/** Work items in a table, some of which are selected. */
import type { WorkSummary } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { duration } from '../../ui/duration.ts';
import { usd } from '../../ui/money.ts';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

interface WorkTableProps {
  readonly items: readonly WorkSummary[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

const MOST_CHARS = 300;

export function WorkTable({ items, selected, onSelect }: WorkTableProps) {
  const { columns } = S.work;
  if (items.length === 0) return <p class="faint">{S.work.none}</p>;
  const hasAll = items.every(({ id }) => selected.has(id));
  return (
    <table class="work-table">
      <thead>
        <tr>
          <th scope="col">
            <input
              type="checkbox"
              aria-label={S.work.selectAll}
              checked={hasAll}
              onChange={() => onSelect(hasAll ? new Set() : new Set(items.map(({ id }) => id)))}
            />
          </th>
          <th scope="col">{columns.state}</th>
          <th scope="col">{columns.item}</th>
          <th scope="col">{columns.faculty}</th>
          <th scope="col" class="number wide-only">
            {columns.turns}
          </th>
          <th scope="col" class="number">
            {columns.cost}
          </th>
          <th scope="col" class="number wide-only">
            {columns.lasted}
          </th>
          <th scope="col">{columns.age}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <Row
            key={item.id}
            item={item}
            isSelected={selected.has(item.id)}
            onSelect={() => onSelect(toggled(selected, item.id))}
          />
        ))}
      </tbody>
    </table>
  );
}

function toggled(selected: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface RowProps {
  readonly item: WorkSummary;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function Row({ item, isSelected, onSelect }: RowProps) {
  const title = item.description.trim() === '' ? item.id : item.description.slice(0, MOST_CHARS).trim();
  const note = item.waiting?.why ?? item.outcome_summary ?? '';
  const { created_at, resolved_at } = item;
  return (
    <tr class={isSelected ? 'selected' : undefined}>
      <td>
        <input
          type="checkbox"
          aria-label={S.work.select(title.slice(0, 80))}
          checked={isSelected}
          onChange={onSelect}
        />
      </td>
      <td>
        <State of={item.state} />
      </td>
      <td class="work-item">
        <a class="clip" href={hrefTo('work', [item.id])}>
          <VisibleText text={title} kind="text" most={MOST_CHARS} />
        </a>
        {note !== '' && (
          <span class="clip faint">
            <VisibleText text={note.slice(0, MOST_CHARS)} kind="text" most={MOST_CHARS} />
          </span>
        )}
      </td>
      <td>
        {item.faculty} {item.priority !== 0 && <span class="faint">{S.work.priority(item.priority)}</span>}
      </td>
      <td class="number wide-only">{item.turns.toLocaleString('en')}</td>
      <td class="number">{usd(item.cost_usd)}</td>
      <td class="number wide-only">
        {resolved_at !== null && duration(Date.parse(resolved_at) - Date.parse(created_at))}
      </td>
      <td class="work-age">
        <Time at={created_at} />
      </td>
    </tr>
  );
}
