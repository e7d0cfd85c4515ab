/** What each turn has cost, how much of its input came from the cache, and how full the context was. */
import { useMemo } from 'preact/hooks';
import { api } from '../../../model/api.ts';
import { goTo } from '../../../model/place.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Chart } from '../../../ui/chart.tsx';
import { usd } from '../../../ui/money.ts';
import { compact } from '../../../ui/numbers.ts';
import { S } from '../../../words/strings.ts';
import { costOf, windowOf } from '../record/cost.ts';
import type { ItemRecord } from '../record/use-record.ts';

export function CostTab({ id, record }: { readonly id: string; readonly record: ItemRecord }) {
  const { turns, loading } = record;
  const cost = useMemo(() => costOf(turns), [turns]);
  const models = useLoaded((signal) => api.operate.listModels({}, { signal }), []);
  if (turns.length === 0) return <p class="faint">{loading ? `${S.common.loading} …` : S.item.noTurns}</p>;
  const window = windowOf(turns, models.value?.items ?? []);
  const { charts } = S.item;
  const x = turns.map((_, index) => index + 1);
  const shared = {
    x,
    xIs: 'number',
    xLabel: charts.turn,
    onChoose: (index: number) => goTo('work', [id], { tab: 'turns', turn: turns[index]?.key }),
  } as const;
  const share = cost.input === 0 ? null : cost.cacheRead / cost.input;
  return (
    <div class="item-charts">
      <Chart
        {...shared}
        title={charts.context}
        summary={charts.contextSummary(compact(cost.largest), window === null ? null : compact(window))}
        series={[{ label: charts.input, values: cost.contexts, colour: 'accent', as: 'area' }]}
        shown={compact}
        {...(window !== null && { top: window })}
      />
      <Chart
        {...shared}
        title={charts.tokens}
        summary={charts.tokensSummary(compact(cost.input), compact(cost.output), share)}
        stacked
        series={[
          { label: charts.fromCache, values: cost.cached, colour: 'good', as: 'bars' },
          { label: charts.fresh, values: cost.fresh, colour: 'attention', as: 'bars' },
          { label: charts.output, values: cost.outputs, colour: 'running', as: 'bars' },
        ]}
        shown={compact}
      />
      <Chart
        {...shared}
        title={charts.cost}
        summary={charts.costSummary(usd(cost.total), turns.length)}
        series={[{ label: charts.cost, values: cost.costs, colour: 'accent', as: 'bars' }]}
        shown={usd}
      />
      <Chart
        {...shared}
        title={charts.sum}
        summary={charts.costSummary(usd(cost.total), turns.length)}
        series={[{ label: charts.sum, values: cost.sums, colour: 'accent', as: 'area' }]}
        shown={usd}
      />
      <Chart
        {...shared}
        title={charts.latency}
        summary={charts.latencySummary(compact(cost.longestSeconds))}
        series={[{ label: charts.latency, values: cost.seconds, colour: 'running', as: 'bars' }]}
        shown={(seconds) => `${compact(seconds)} s`}
      />
    </div>
  );
}
