/** What was done, failed and was spent in each hour of the last day. */
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Chart } from '../../ui/chart.tsx';
import { duration } from '../../ui/duration.ts';
import { usd } from '../../ui/money.ts';
import { compact } from '../../ui/numbers.ts';
import { Problem } from '../../ui/problem.tsx';
import { S } from '../../words/strings.ts';
import { dayOf } from './day.ts';

const REFRESH_MS = 60_000;

export function LastDay() {
  const read = useLoaded((signal) => api.operate.showActivity({ by: 'hour' }, { signal }), [], { everyMs: REFRESH_MS });
  if (read.value === undefined)
    return read.problem === null ? null : <Problem text={read.problem} retry={read.reload} />;
  const day = dayOf(read.value.items);
  const shared = { x: day.x, xIs: 'time', xLabel: S.now.hour } as const;
  const { charts } = S.now;
  return (
    <section class="panel wide" aria-labelledby="last-day">
      <h2 id="last-day">{S.now.lastDay}</h2>
      <div class="now-charts">
        <Chart
          {...shared}
          title={charts.ended}
          summary={charts.endedSummary(day.totals.completed, day.totals.dead)}
          stacked
          series={[
            { label: S.state.completed, values: day.completed, colour: 'good', as: 'bars' },
            { label: S.state.cancelled, values: day.cancelled, colour: 'faint', as: 'bars' },
            { label: S.state.dead, values: day.dead, colour: 'bad', as: 'bars' },
          ]}
          shown={compact}
        />
        <Chart
          {...shared}
          title={charts.spent}
          summary={charts.spentSummary(usd(day.totals.usd))}
          series={[{ label: charts.spent, values: day.usd, colour: 'accent', as: 'bars' }]}
          shown={usd}
        />
        <Chart
          {...shared}
          title={charts.lasted}
          summary={charts.lastedSummary(day.totals.submitted)}
          series={[
            { label: charts.half, values: day.p50, colour: 'running', as: 'line' },
            { label: charts.most, values: day.p95, colour: 'attention', as: 'line' },
          ]}
          shown={(seconds) => duration(seconds * 1000)}
        />
      </div>
      {read.value.partial && <p class="faint">{S.now.partial}</p>}
    </section>
  );
}
