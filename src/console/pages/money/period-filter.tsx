/** Chooses the period: the last days, or from a day to a day. */
import { changeQuery } from '../../model/place.ts';
import { S } from '../../words/strings.ts';
import { dayAfter, type Period, RANGES } from './period.ts';

export function PeriodFilter({ period }: { readonly period: Period }) {
  const { since, until, days } = period;
  const last = dayAfter(until, -1);
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        {S.money.period}
        <select
          value={days ?? ''}
          onChange={(event) => changeQuery({ days: event.currentTarget.value, from: null, to: null })}
        >
          {days === null && <option value="">{S.money.chosenDays}</option>}
          {RANGES.map((range) => (
            <option key={range} value={range}>
              {S.money.lastDays(range)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {S.money.from}
        <input
          type="date"
          value={since}
          max={last}
          required
          onChange={(event) => change(event.currentTarget.value, last)}
        />
      </label>
      <label>
        {S.money.to}
        <input
          type="date"
          value={last}
          min={since}
          required
          onChange={(event) => change(since, event.currentTarget.value)}
        />
      </label>
      <span class="faint">{S.money.utc}</span>
    </form>
  );
}

function change(from: string, to: string): void {
  if (from !== '' && to !== '' && from <= to) changeQuery({ from, to, days: null });
}
