/** The cost of each day of the period, as a chart. */
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Chart } from '../../ui/chart.tsx';
import { usd } from '../../ui/money.ts';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { DAY_MS, daysOf, type Period } from './period.ts';
import { remarksOf } from './remarks.ts';

const REFRESH_MS = 60_000;
const MOST_DAYS = 1000;

export function ByDay({ period }: { readonly period: Period }) {
  const { since, until } = period;
  const read = useLoaded(
    (signal) => api.operate.spend({ since, until, by: 'day', limit: MOST_DAYS }, { signal }),
    [since, until],
    { everyMs: REFRESH_MS },
  );
  return (
    <section class="panel" aria-label={S.money.byDay}>
      <Shown of={read}>
        {({ rows, total }) => {
          const costs = new Map(rows.map(({ day, usd: cost }) => [day, cost]));
          const days = daysOf(period, Date.now());
          const remarks = remarksOf(total);
          return (
            <>
              <p class="money-total">
                <b>{total.calls === 0 && total.usd === null ? usd(0) : usd(total.usd)}</b>{' '}
                <span class="faint">{S.money.calls(total.calls)}</span>
              </p>
              {remarks.length > 0 && <p class="money-remarks">{remarks.join('; ')}</p>}
              <Chart
                title={S.money.byDay}
                summary={S.money.daySummary(usd(total.usd ?? 0), days.length)}
                // At noon, so that the day is the same one in (nearly) every zone.
                x={days.map((day) => (Date.parse(day) + DAY_MS / 2) / 1000)}
                xIs="time"
                xLabel={S.money.day}
                series={[
                  {
                    label: S.money.cost,
                    values: days.map((day) => (costs.has(day) ? (costs.get(day) ?? null) : 0)),
                    colour: 'accent',
                    as: 'bars',
                  },
                ]}
                shown={usd}
              />
            </>
          );
        }}
      </Shown>
    </section>
  );
}
