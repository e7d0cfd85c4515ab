/** How many days back a list reaches; the choice is in the address, as `days`. */
import { changeQuery } from '../model/place.ts';
import { S } from '../words/strings.ts';

interface DaysFilterProps {
  readonly days: number;
  readonly ranges: readonly number[];
}

export function DaysFilter({ days, ranges }: DaysFilterProps) {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        {S.inbox.since}
        <select value={days} onChange={(event) => changeQuery({ days: event.currentTarget.value })}>
          {ranges.map((range) => (
            <option key={range} value={range}>
              {S.inbox.days(range)}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
