/** What model calls have cost since midnight (UTC), by faculty and model. */
import type { Status } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { usd } from '../../ui/money.ts';
import { S } from '../../words/strings.ts';

export function SpendToday({ rows }: { readonly rows: Status['spend_today'] }) {
  const total = rows.reduce((sum, row) => sum + (row.usd ?? 0), 0);
  return (
    <section class="panel" aria-labelledby="spend">
      <h2 id="spend">
        <a href={hrefTo('money')}>{S.now.spendToday}</a> <span class="number">{rows.length > 0 && usd(total)}</span>
      </h2>
      {rows.length === 0 && <p class="faint">{S.now.nothingSpent}</p>}
      <ul class="plain rows">
        {rows.map((row) => (
          <li key={`${row.faculty} ${row.model}`}>
            <span class="grow clip">
              {row.faculty} <span class="faint">{row.model}</span>
            </span>
            <span class="number">{usd(row.usd)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
