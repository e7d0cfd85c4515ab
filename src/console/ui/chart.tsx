/** A chart, with its numbers as a table for those who cannot see it. What draws it is loaded with the first one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../model/api.ts';
import { S } from '../words/strings.ts';
import type { ChartProps, Drawing } from './chart-data.ts';
import { Problem } from './problem.tsx';
import './chart.css';

const MOST_ROWS = 500;
const HEIGHT = 160;

export function Chart(props: ChartProps) {
  const { title, summary, series, height = HEIGHT } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => {
    let isGone = false;
    import('./draw-chart.ts').then(
      ({ drawChart }) => {
        if (!isGone && place.current !== null) drawing.current = drawChart(place.current, () => newest.current);
      },
      (error: unknown) => setProblem(sentenceOf(error)),
    );
    return () => {
      isGone = true;
      drawing.current?.end();
      drawing.current = null;
    };
  }, []);
  useEffect(() => drawing.current?.update());
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        {series.length > 1 &&
          series.map(({ label, colour }) => (
            <span key={label} class={`chart-key chart-${colour}`}>
              {label}
            </span>
          ))}
      </figcaption>
      {problem !== null && <Problem text={problem} />}
      <div
        ref={place}
        class="chart-place"
        role="img"
        aria-label={`${title}: ${summary}`}
        style={{ height: `${height}px` }}
      />
      <Numbers {...props} />
    </figure>
  );
}

function Numbers({ title, x, xIs, xLabel, series, shown }: ChartProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="chart-numbers" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{S.ui.numbers}</summary>
      {open && (
        <div class="chart-table">
          <table>
            <caption class="hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{xLabel}</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {x.slice(-MOST_ROWS).map((at, row) => {
                const index = Math.max(0, x.length - MOST_ROWS) + row;
                return (
                  <tr key={at}>
                    <th scope="row">
                      {xIs === 'time' ? new Date(at * 1000).toLocaleString() : at.toLocaleString('en')}
                    </th>
                    {series.map(({ label, values }) => {
                      const value = values[index] ?? null;
                      return (
                        <td key={label} class="number">
                          {value === null ? '' : shown(value)}
                        </td>
                      );
                    })}
                  </tr>
                );
              })}
            </tbody>
          </table>
          {x.length > MOST_ROWS && <p class="faint">{S.ui.lastOf(MOST_ROWS, x.length)}</p>}
        </div>
      )}
    </details>
  );
}
