/** Parts of a page, each with an address: the one that is shown is in the query. */
import { hrefTo, place } from '../model/place.ts';
import './tabs.css';

export interface Tab {
  readonly name: string;
  readonly title: string;
  /** How many there are; null or left out: not known, or not worth saying. */
  readonly count?: number | null;
}

interface TabsProps {
  /** What the tabs are of, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The name of the filter that holds it; default `tab`. Other filters are dropped by a change, as they belong to their tab. */
  readonly by?: string;
}

export function Tabs({ label, tabs, by = 'tab' }: TabsProps) {
  const { page, rest } = place.value;
  const chosen = chosenTab(tabs, by);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, title, count }, index) => (
        <a
          key={name}
          href={hrefTo(page, rest, { [by]: index === 0 ? null : name })}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {title} {typeof count === 'number' && <span class="tab-count">{count.toLocaleString('en')}</span>}
        </a>
      ))}
    </nav>
  );
}

/** The tab that the address names; the first one if it names none of them. */
export function chosenTab(tabs: readonly Tab[], by = 'tab'): string {
  const named = place.value.query.get(by);
  return tabs.find(({ name }) => name === named)?.name ?? tabs[0]?.name ?? '';
}
