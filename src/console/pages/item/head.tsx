/** The head of an item: what it is, where it is, what it has cost, and what can be done about it. */
import type { WorkItem } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { duration } from '../../ui/duration.ts';
import { usd } from '../../ui/money.ts';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { Actions } from './actions.tsx';
import { Became } from './became.tsx';
import { lastedMs, titleOf } from './record/item.ts';

export function Head({ item, reload }: { readonly item: WorkItem; readonly reload: () => void }) {
  return (
    <header class="item-head">
      <p class="item-path faint">
        <a href={hrefTo('work')}>{S.work.title}</a>
        {' / '}
        {item.parent_id !== null && (
          <>
            <a href={hrefTo('work', [item.parent_id])}>{S.item.parent}</a>
            {' / '}
          </>
        )}
        <span class="mono">{item.id}</span>
      </p>
      <h1 dir="auto" tabIndex={-1}>
        <VisibleText text={titleOf(item)} kind="text" />
      </h1>
      <Figures item={item} />
      <Actions item={item} reload={reload} />
      <Became item={item} reload={reload} />
    </header>
  );
}

function Figures({ item }: { readonly item: WorkItem }) {
  const lasted = lastedMs(item);
  const { figures } = S.item;
  return (
    <dl class="figures">
      <Figure name={figures.state}>
        <State of={item.state} />
        {item.cancel_requested_at !== null && item.state !== 'cancelled' && (
          <span class="state-waiting"> {S.item.cancelling}</span>
        )}
      </Figure>
      <Figure name={figures.faculty}>
        <a href={hrefTo('work', [], { faculty: item.faculty })}>{item.faculty}</a>
      </Figure>
      <Figure name={figures.by}>{item.submitted_by ?? S.item.nobody}</Figure>
      <Figure name={figures.turns}>{item.turns.toLocaleString('en')}</Figure>
      <Figure name={figures.cost}>
        {usd(item.cost_usd)}
        {item.unpriced_calls > 0 && <span class="faint"> {S.item.unpriced(item.unpriced_calls)}</span>}
      </Figure>
      <Figure name={figures.tokens}>{S.item.tokens(item.input_tokens, item.output_tokens)}</Figure>
      <Figure name={figures.submitted}>
        <Time at={item.created_at} />
      </Figure>
      {item.resolved_at !== null ? (
        <Figure name={figures.ended}>
          <Time at={item.resolved_at} />{' '}
          {lasted !== null && <span class="faint">{S.item.after(duration(lasted))}</span>}
        </Figure>
      ) : (
        item.run_at !== null && (
          <Figure name={figures.runAt}>
            <Time at={item.run_at} />
          </Figure>
        )
      )}
      {item.priority !== 0 && <Figure name={figures.priority}>{item.priority}</Figure>}
      {item.attempts > 0 && (
        <Figure name={figures.attempts}>{S.item.attempts(item.attempts, item.max_attempts)}</Figure>
      )}
    </dl>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
