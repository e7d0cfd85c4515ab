/** What an item is for, what it does now, and what came out of it. */
import type { ReadonlySignal } from '@preact/signals';
import type { WorkItem } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Json } from '../../../ui/json.tsx';
import { Prose } from '../../../ui/prose.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Text } from '../../../ui/text.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { failureOf, outcomeOf } from '../record/failure.ts';
import { isOpen } from '../record/item.ts';
import type { Live } from '../record/live.ts';
import type { ItemRecord } from '../record/use-record.ts';
import { LiveNow } from './live-now.tsx';

interface OverviewProps {
  readonly item: WorkItem;
  readonly record: ItemRecord;
  readonly live: ReadonlySignal<Live>;
  readonly revision: number;
}

export function OverviewTab({ item, record, live, revision }: OverviewProps) {
  return (
    <div class="item-columns">
      <div>
        {isOpen(item.state) && <LiveNow id={item.id} record={record} live={live} />}
        <Outcome item={item} />
        <section class="item-part">
          <h2>{S.item.description}</h2>
          {item.description === '' ? <p class="faint">{S.item.noDescription}</p> : <Text text={item.description} />}
        </section>
        {Object.keys(item.params).length > 0 && (
          <section class="item-part">
            <h2>{S.item.params}</h2>
            <Json value={item.params} label={S.item.params} />
          </section>
        )}
      </div>
      <div>
        <Newest id={item.id} revision={revision} />
        <Facts item={item} />
        <Foci record={record} />
      </div>
    </div>
  );
}

function Outcome({ item }: { readonly item: WorkItem }) {
  const { text, rest } = outcomeOf(item.outcome);
  if (text === null && rest === null) return null;
  return (
    <section class="item-part">
      <h2>{S.item.outcome}</h2>
      {item.outcome_summary !== null && item.outcome_summary !== text && (
        <p>
          <VisibleText text={item.outcome_summary} kind="text" />
        </p>
      )}
      {text !== null && <Prose text={text} />}
      {rest !== null && <Json value={rest} label={S.item.outcome} />}
    </section>
  );
}

const NEWEST = 200;
const SHOWN = 6;

/** The last entries of the ledger. */
function Newest({ id, revision }: { readonly id: string; readonly revision: number }) {
  const ledger = useLoaded((signal) => api.record.readLedger(id, { limit: NEWEST }, { signal }).page(), [id, revision]);
  return (
    <section class="item-part">
      <h2>{S.item.tabs.ledger}</h2>
      <Shown of={ledger}>
        {({ items, next }) => (
          <>
            {items.length === 0 && <p class="faint">{S.item.noLedger}</p>}
            <ul class="plain rows">
              {items.slice(-SHOWN).map(({ seq, type, content }) => (
                <li key={seq}>
                  <span class="faint ledger-type">{S.item.ledgerTypes[type]}</span>
                  <span class="grow">
                    <VisibleText text={content} kind="text" lines most={400} />
                  </span>
                </li>
              ))}
            </ul>
            {(items.length > SHOWN || next !== null) && (
              <a href={hrefTo('work', [id], { tab: 'ledger' })}>{S.item.wholeLedger}</a>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

function Facts({ item }: { readonly item: WorkItem }) {
  const { facts } = S.item;
  const rows: readonly (readonly [string, preact.ComponentChildren])[] = [
    [facts.source, item.source],
    [facts.skill, item.skill],
    [facts.dedupKey, item.dedup_key],
    [facts.concurrencyKey, item.concurrency_key],
    [
      facts.root,
      item.root_id === item.id ? null : <a href={hrefTo('work', [item.root_id])}>…{item.root_id.slice(-12)}</a>,
    ],
    [facts.depth, item.depth === 0 ? null : item.depth],
    [facts.batch, item.batch === null ? null : S.item.yesNo(item.batch)],
    [facts.detached, item.detached ? S.item.yesNo(true) : null],
    [facts.updated, <Time key="updated" at={item.updated_at} />],
  ];
  return (
    <section class="item-part">
      <h2>{S.item.details}</h2>
      <dl class="facts">
        {rows
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? <VisibleText text={value} most={300} /> : value}</dd>
            </div>
          ))}
      </dl>
      {item.trigger_info !== null && <Json value={item.trigger_info} label={facts.trigger} />}
    </section>
  );
}

/** What happened to each focus, if there is more than one or one failed. */
function Foci({ record: { foci } }: { readonly record: ItemRecord }) {
  if (foci.length < 2 && foci.every(({ error }) => error === null)) return null;
  return (
    <section class="item-part">
      <h2>{S.item.foci}</h2>
      <ul class="plain rows">
        {foci.map(({ id, number, phase, ended_as, error, started_at, resumes }) => {
          const failure = failureOf(error);
          return (
            <li key={id}>
              <span class="number">{number}</span>
              <span class="grow">
                {S.item.endedAs(ended_as, phase)} {resumes > 0 && <span class="faint">{S.item.resumes(resumes)}</span>}
                {failure !== null && (
                  <div class="faint">
                    <VisibleText text={failure.message} kind="text" lines most={400} />
                  </div>
                )}
              </span>
              <Time at={started_at} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
