/** Limits that are nearly used up. */
import type { Status } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { usd } from '../../ui/money.ts';
import { compact } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

export function Limits({ budgets }: Pick<Status, 'budgets'>) {
  if (budgets.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="limits">
      <h2 id="limits">
        <a href={hrefTo('money')}>{S.now.limits}</a>
      </h2>
      <ul class="plain rows">
        {budgets.map(({ scope, subject, unit, period, amount, used, ends }) => {
          const shown = (value: number) => (unit === 'usd' ? usd(value) : compact(value));
          return (
            <li key={`${scope} ${subject} ${unit} ${period}`} class="limit">
              <span class="grow clip">
                {S.item.scopes(scope, period)} <VisibleText text={subject} />
              </span>
              {used >= amount && <span class="state state-dead">{S.now.usedUp}</span>}
              <meter min={0} max={amount} high={amount * 0.8} optimum={0} value={used} aria-label={S.item.used} />
              <span class="number">{`${shown(used)} / ${shown(amount)}${unit === 'usd' ? '' : ' tokens'}`}</span>
              {ends !== null && <Time at={ends} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
