/** Why an item does not go on, or what became of it, and what can be done next. */
import type { Waiting, WorkItem } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { Asks } from './asks.tsx';
import { failureOf } from './record/failure.ts';

/** Waits that a person ends. */
const FOR_PEOPLE = new Set<Waiting['reason']>(['approval', 'question', 'budget']);

export function Became({ item, reload }: { readonly item: WorkItem; readonly reload: () => void }) {
  if (item.state === 'merged') return <Merged into={item.merged_into} />;
  if (item.state === 'dead') return <Failed item={item} />;
  if (item.state === 'cancelled') return <Cancelled item={item} />;
  if (item.waiting === null) return null;
  return (
    <>
      <Waits item={item} waiting={item.waiting} />
      {FOR_PEOPLE.has(item.waiting.reason) && <Asks key={item.waiting.since} id={item.id} reload={reload} />}
    </>
  );
}

function Waits({ item, waiting }: { readonly item: WorkItem; readonly waiting: Waiting }) {
  const failure = failureOf(item.error);
  return (
    <div class="became became-waiting">
      <p>
        <VisibleText text={waiting.why} kind="text" /> <span class="faint">{S.item.since}</span>{' '}
        <Time at={waiting.since} />
      </p>
      <p class="faint">
        {S.item.endsWhen} <VisibleText text={waiting.ends} kind="text" />{' '}
        {waiting.until !== null && <Time at={waiting.until} />}
      </p>
      {waiting.reason === 'retry' && failure !== null && (
        <p class="faint">
          <VisibleText text={failure.message} kind="text" />
        </p>
      )}
      {waiting.work_items.length > 0 && (
        <p>
          {S.item.behind}{' '}
          {waiting.work_items.map((id) => (
            <a key={id} class="mono item-short" href={hrefTo('work', [id])}>
              …{id.slice(-12)}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}

function Merged({ into }: { readonly into: string | null }) {
  return (
    <div class="became">
      {into === null ? S.item.mergedUnseen : S.item.merged}{' '}
      {into !== null && <a href={hrefTo('work', [into])}>{S.item.other}</a>}
    </div>
  );
}

function Failed({ item }: { readonly item: WorkItem }) {
  const failure = failureOf(item.error);
  return (
    <div class="became became-dead">
      <p>
        {failure === null ? S.item.deadUnknown : <VisibleText text={failure.message} kind="text" lines />}
        {failure?.code && <code class="faint"> {failure.code}</code>}
      </p>
      <p class="faint">{S.item.advice(failure?.code ?? '')}</p>
    </div>
  );
}

function Cancelled({ item }: { readonly item: WorkItem }) {
  return (
    <div class="became">
      {S.item.cancelledBecause}{' '}
      {item.cancel_reason === null || item.cancel_reason === '' ? (
        S.item.noReason
      ) : (
        <VisibleText text={item.cancel_reason} kind="text" lines />
      )}
    </div>
  );
}
