/** The work items of the period that cost most, or took longest. */
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { duration } from '../../ui/duration.ts';
import { usd } from '../../ui/money.ts';
import { Shown } from '../../ui/shown.tsx';
import { State } from '../../ui/state.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import type { Period } from './period.ts';
import { remarksOf } from './remarks.ts';
import { titleOf } from './title.ts';

const MOST = 10;

interface SpendItemsProps {
  readonly period: Period;
  readonly order: 'dearest' | 'slowest';
}

export function SpendItems({ period: { since, until }, order }: SpendItemsProps) {
  const read = useLoaded(
    (signal) => api.operate.spendItems({ since, until, order, limit: MOST }, { signal }),
    [since, until, order],
  );
  return (
    <section class="panel" aria-labelledby={order}>
      <h2 id={order}>{S.money[order]}</h2>
      <Shown of={read}>
        {({ items }) => (
          <>
            {items.length === 0 && <p class="faint">{S.money.noItems}</p>}
            <ul class="plain rows">
              {items.map((item) => (
                <li key={item.id}>
                  <State of={item.state} />
                  <a class="grow clip" href={hrefTo('work', [item.id])}>
                    <VisibleText text={titleOf(item)} kind="text" />
                  </a>
                  <span class="faint not-on-phones">
                    <VisibleText text={item.faculty} kind="text" most={60} />
                  </span>
                  <span class="number" title={remarksOf(item).join('; ')}>
                    {order === 'dearest' ? usd(item.usd) : duration(item.elapsed_ms)}
                    {order === 'dearest' && remarksOf(item).length > 0 && ' *'}
                  </span>
                </li>
              ))}
            </ul>
            {order === 'slowest' && <p class="faint">{S.money.slowestHint}</p>}
            {order === 'dearest' && items.some((item) => remarksOf(item).length > 0) && (
              <p class="faint">{S.money.unsureHint}</p>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
