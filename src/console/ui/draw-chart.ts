/** Draws charts with uPlot, in the colours of the page. Loaded when the first chart is shown. */
import uPlot from 'uplot';
import type { ChartProps, Drawing, Series } from './chart-data.ts';
import { coloursOf } from './colours.ts';
import { stack } from './stack.ts';
import 'uplot/dist/uPlot.min.css';

const AXIS_PX = 56;
const FONT_PX = 11;
const DAY_SECONDS = 86_400;
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5].map((power) => step * 10 ** power))
  .sort((a, b) => a - b);

/** Draws into `place`, as wide as it is; `now` gives what is to be shown. */
export function drawChart(place: HTMLElement, now: () => ChartProps): Drawing {
  let plot = makePlot(place, now);
  let shape = shapeOf(now());
  const again = () => {
    plot.destroy();
    plot = makePlot(place, now);
    shape = shapeOf(now());
  };
  const sizes = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: place.clientHeight }));
  sizes.observe(place);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  theme.addEventListener('change', again);
  const choose = () => {
    const index = plot.cursor.idx;
    if (typeof index === 'number') now().onChoose?.(index);
  };
  place.addEventListener('click', choose);
  return {
    update() {
      if (shapeOf(now()) === shape) plot.setData(dataOf(now()));
      else again();
    },
    end() {
      sizes.disconnect();
      theme.removeEventListener('change', again);
      place.removeEventListener('click', choose);
      plot.destroy();
    },
  };
}

function shapeOf({ series, xIs, stacked, top }: ChartProps): string {
  return JSON.stringify([xIs, stacked, top, series.map(({ label, as, colour }) => [label, as, colour])]);
}

function dataOf({ x, series, stacked = false }: ChartProps): uPlot.AlignedData {
  const values = series.map((one) => one.values);
  // The last one is drawn first: those before cover what is not theirs.
  const drawn = stacked ? stack(values).toReversed() : values;
  return [[...x], ...drawn.map((one) => [...one])];
}

function makePlot(place: HTMLElement, now: () => ChartProps): uPlot {
  const props = now();
  const { series, xIs, shown, stacked = false, top = 0 } = props;
  const colours = coloursOf(place);
  const font = `${FONT_PX}px ${getComputedStyle(place).fontFamily}`;
  const axis = {
    stroke: colours('faint'),
    font,
    grid: { stroke: colours('border'), width: 1 },
    ticks: { show: false },
  };
  return new uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: xScale(now), y: { range: (_, __, most) => [0, Math.max(most ?? 0, top) * 1.05 || 1] } },
      axes: [
        {
          ...axis,
          size: 24,
          grid: { show: false },
          ...(xIs === 'number' ? { incrs: WHOLE_STEPS } : { values: shownTimes }),
        },
        { ...axis, size: AXIS_PX, values: (_, ticks) => ticks.map((tick) => shown(tick)) },
      ],
      series: [{}, ...(stacked ? series.toReversed() : series).map((one) => drawn(one, colours(one.colour)))],
      plugins: [tip(now)],
    },
    dataOf(props),
    place,
  );
}

/** In the reader's zone and way of writing: hours within some days, else days. */
function shownTimes(_: uPlot, ticks: readonly number[]): string[] {
  const isShort = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) < 3 * DAY_SECONDS;
  return ticks.map((tick) => {
    const time = new Date(tick * 1000);
    return isShort
      ? time.toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' })
      : time.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
  });
}

/** Bars of numbers have room on both sides. */
function xScale(now: () => ChartProps): uPlot.Scale {
  const { xIs, series } = now();
  if (xIs === 'time') return { time: true };
  const room = series.some(({ as }) => as === 'bars') ? 0.6 : 0;
  return { time: false, range: () => [(now().x[0] ?? 0) - room, (now().x.at(-1) ?? 1) + room] };
}

function drawn({ label, as = 'line' }: Series, colour: string): uPlot.Series {
  const bars = as === 'bars' ? uPlot.paths.bars?.({ size: [0.8, 60], gap: 1 }) : undefined;
  return {
    label,
    stroke: colour,
    width: as === 'bars' ? 0 : 1.5,
    points: { show: false },
    ...(as !== 'line' && { fill: as === 'area' ? `color-mix(in srgb, ${colour} 18%, transparent)` : colour }),
    ...(bars && { paths: bars }),
  };
}

/** The numbers of the place under the pointer. */
function tip(now: () => ChartProps): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = 'chart-tip';
  return {
    hooks: {
      init: (plot) => plot.over.append(box),
      setCursor(plot) {
        const index = plot.cursor.idx;
        box.hidden = typeof index !== 'number' || (plot.cursor.left ?? -1) < 0;
        if (box.hidden || typeof index !== 'number') return;
        const { x, xIs, xLabel, series, shown } = now();
        const at = x[index]!;
        const lines = series.map(({ label, values }) => {
          const value = values[index] ?? null;
          return `${label}: ${value === null ? '–' : shown(value)}`;
        });
        const where = xIs === 'time' ? new Date(at * 1000).toLocaleString() : `${xLabel} ${at.toLocaleString('en')}`;
        box.textContent = [where, ...lines].join('\n');
        const isRight = (plot.cursor.left ?? 0) > plot.over.clientWidth / 2;
        box.classList.toggle('chart-tip-left', isRight);
      },
    },
  };
}
