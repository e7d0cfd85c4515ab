/** How many items pass the filter, by state; each state is a link to those in it. */
import { api } from '../../model/api.ts';
import { hrefTo, place } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { State } from '../../ui/state.tsx';
import { S } from '../../words/strings.ts';
import type { WorkFilter } from './filter.ts';

export function Counts({ filter }: { readonly filter: WorkFilter }) {
  const { sort: _, ...counted } = filter;
  const counts = useLoaded((signal) => api.work.count(counted, { signal }), [counted], { live: true });
  if (counts.value === undefined) return <span class="faint">{counts.problem}</span>;
  const { items, more, states } = counts.value;
  const query = Object.fromEntries(place.value.query);
  return (
    <p class="counts">
      <b>{S.work.count(items, more)}</b>
      {states
        .filter((one) => one.items > 0)
        .map(({ state, items: count, more: orMore }) => (
          <a key={state} href={hrefTo('work', [], { ...query, state })}>
            <State of={state} />{' '}
            <span class="number">
              {count.toLocaleString('en')}
              {orMore && '+'}
            </span>
          </a>
        ))}
    </p>
  );
}
