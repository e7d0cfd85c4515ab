/** Metrics, typed by the table of signals. Without an SDK everything here is a no-op. */
import { type Counter, type Gauge, type Histogram, type Meter, metrics } from '@opentelemetry/api';
import type { MetricRow } from './metric-rows.ts';
import { METRICS } from './signals.ts';

type MetricName = keyof typeof METRICS;
type MetricOfKind<Kind> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];
type CounterName = MetricOfKind<'counter'>;
type HistogramName = MetricOfKind<'histogram'>;
type GaugeName = MetricOfKind<'gauge'>;
/** The labels a metric may have. */
type Labels<Name extends MetricName> = { readonly [Key in (typeof METRICS)[Name]['labels'][number]]?: string };

/** Adds to a counter; `amount` is at least 0, in the metric's unit. */
export function count<Name extends CounterName>(name: Name, amount: number, labels: Labels<Name>): void {
  (instrument(name) as Counter).add(amount, labels);
}

/** Adds what was spent, in USD: by answers, and the part of it that is estimated; by requests that returned nothing; and how many of both have no known cost. */
export function countSpend(
  sums: {
    readonly usd: number;
    readonly estimated_usd: number;
    readonly lost_usd: number;
    readonly unpriced_calls: number;
  },
  labels: { readonly faculty: string; readonly model: string },
): void {
  if (sums.usd > 0) count('work.budget.spent', sums.usd, labels);
  if (sums.estimated_usd > 0) count('work.budget.estimated', sums.estimated_usd, labels);
  if (sums.lost_usd > 0) count('work.budget.lost', sums.lost_usd, labels);
  if (sums.unpriced_calls > 0) count('work.budget.unpriced', sums.unpriced_calls, labels);
}

/** Records one value of a histogram, in the metric's unit. */
export function record<Name extends HistogramName>(name: Name, value: number, labels: Labels<Name>): void {
  (instrument(name) as Histogram).record(value, labels);
}

/** Sets a gauge, in the metric's unit. */
export function gauge<Name extends GaugeName>(name: Name, value: number, labels: Labels<Name>): void {
  (instrument(name) as Gauge).record(value, labels);
}

type Instrument = Counter | Histogram | Gauge;

// Keyed by provider, because instruments created before an SDK is registered stay no-ops.
const instruments = new WeakMap<object, Map<MetricName, Instrument>>();

function instrument(name: MetricName): Instrument {
  const provider = metrics.getMeterProvider();
  let known = instruments.get(provider);
  if (!known) instruments.set(provider, (known = new Map()));
  let found = known.get(name);
  if (!found) known.set(name, (found = create(provider.getMeter('animus'), name)));
  return found;
}

function create(meter: Meter, name: MetricName): Instrument {
  const row: MetricRow = METRICS[name];
  const options = { unit: row.unit, description: row.description };
  switch (row.kind) {
    case 'counter':
      return meter.createCounter(name, options);
    case 'gauge':
      return meter.createGauge(name, options);
    case 'histogram':
      return meter.createHistogram(name, {
        ...options,
        ...(row.buckets && { advice: { explicitBucketBoundaries: [...row.buckets] } }),
      });
    default:
      return row.kind satisfies never;
  }
}
