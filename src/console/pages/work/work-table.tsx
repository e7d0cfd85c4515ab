/** Work items in a table. */
import type { WorkSummary } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { usd } from '../../ui/money.ts';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { S } from '../../words/strings.ts';

export function WorkTable({ items }: { readonly items: readonly WorkSummary[] }) {
  const { columns } = S.work;
  if (items.length === 0) return <p class="faint">{S.work.none}</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{columns.state}</th>
          <th scope="col">{columns.item}</th>
          <th scope="col">{columns.faculty}</th>
          <th scope="col" class="number">
            {columns.turns}
          </th>
          <th scope="col" class="number">
            {columns.cost}
          </th>
          <th scope="col">{columns.age}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id}>
            <td>
              <State of={item.state} />
            </td>
            <td>
              <a href={hrefTo('work', [item.id])}>{item.description === '' ? item.id : item.description}</a>{' '}
              <span class="faint">{item.waiting?.why ?? item.outcome_summary}</span>
            </td>
            <td>{item.faculty}</td>
            <td class="number">{item.turns}</td>
            <td class="number">{usd(item.cost_usd)}</td>
            <td>
              <Time at={item.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
