/** What model calls have cost, what they will, and what they may. */
import { place } from '../../model/place.ts';
import { mayOperate, seesAll } from '../../model/session-state.ts';
import { S } from '../../words/strings.ts';
import { Budgets } from './budgets.tsx';
import { ByDay } from './by-day.tsx';
import { MonthForecast } from './month-forecast.tsx';
import { periodOf } from './period.ts';
import { PeriodFilter } from './period-filter.tsx';
import { SpendBy } from './spend-by.tsx';
import { SpendItems } from './spend-items.tsx';
import './money.css';

export default function MoneyPage() {
  const period = periodOf(place.value.query, Date.now());
  return (
    <>
      <h1>{S.money.title}</h1>
      {!seesAll() && <p class="faint">{S.money.yourWork}</p>}
      <PeriodFilter period={period} />
      <div class="money-top page-part">
        <ByDay period={period} />
        <MonthForecast />
      </div>
      <SpendBy period={period} />
      <div class="money-items page-part">
        <SpendItems period={period} order="dearest" />
        <SpendItems period={period} order="slowest" />
      </div>
      {mayOperate() ? (
        <Budgets />
      ) : (
        <section class="page-part">
          <h2>{S.money.limits}</h2>
          <p class="faint">{S.money.limitsForOperators}</p>
        </section>
      )}
    </>
  );
}
