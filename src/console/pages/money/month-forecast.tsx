/** What this month has cost so far, and what it will have cost at its end, with how that is computed. */
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { usd } from '../../ui/money.ts';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { forecastOf, forecastSince } from './forecast.ts';

const REFRESH_MS = 60_000;
const MOST_DAYS = 60;

export function MonthForecast() {
  const since = forecastSince(Date.now());
  const read = useLoaded((signal) => api.operate.spend({ since, by: 'day', limit: MOST_DAYS }, { signal }), [since], {
    everyMs: REFRESH_MS,
  });
  return (
    <section class="panel" aria-labelledby="forecast">
      <h2 id="forecast">{S.money.forecast}</h2>
      <Shown of={read}>
        {({ rows }) => {
          const { month, soFar, perDay, days, daysLeft, atEnd } = forecastOf(rows, Date.now());
          return (
            <>
              <dl class="money-facts">
                <dt>{S.money.soFar(new Date(month))}</dt>
                <dd class="number">{usd(soFar)}</dd>
                <dt>{S.money.perDay}</dt>
                <dd class="number">{perDay === null ? '–' : usd(perDay)}</dd>
                <dt>{S.money.atEnd}</dt>
                <dd class="number">
                  <b>{atEnd === null ? '–' : usd(atEnd)}</b>
                </dd>
              </dl>
              <p class="faint">{perDay === null ? S.money.noForecast : S.money.computed(days, daysLeft)}</p>
            </>
          );
        }}
      </Shown>
    </section>
  );
}
