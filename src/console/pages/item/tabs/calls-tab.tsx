/** All tool calls in a list, and beside it the one that is chosen. */
import type { ReadonlySignal } from '@preact/signals';
import { hrefTo, place } from '../../../model/place.ts';
import { VirtualList } from '../../../ui/virtual-list.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { shortInput } from '../record/call-input.ts';
import type { Live } from '../record/live.ts';
import type { CallRow } from '../record/rows.ts';
import type { ItemRecord } from '../record/use-record.ts';
import { CallBody, CallState } from './call-line.tsx';

const ROW_PX = 34;

interface CallsTabProps {
  readonly id: string;
  readonly record: ItemRecord;
  readonly live: ReadonlySignal<Live>;
}

export function CallsTab({ id, record: { calls, loading }, live }: CallsTabProps) {
  const key = place.value.query.get('call');
  const chosen = calls.findIndex((call) => call.key === key);
  if (calls.length === 0) return <p class="faint">{loading ? `${S.common.loading} …` : S.item.noCalls}</p>;
  return (
    <div class={chosen < 0 ? '' : 'item-beside'}>
      <VirtualList
        label={S.item.tabs.calls}
        count={calls.length}
        rowPx={ROW_PX}
        chosen={chosen}
        follows
        keyOf={(index) => calls[index]!.key}
        row={(index) => <CallRowLine id={id} call={calls[index]!} isChosen={index === chosen} />}
      />
      {chosen >= 0 && (
        <CallPanel id={id} call={calls[chosen]!} output={live.value.outputs.get(calls[chosen]!.id) ?? ''} />
      )}
    </div>
  );
}

function CallRowLine({
  id,
  call,
  isChosen,
}: {
  readonly id: string;
  readonly call: CallRow;
  readonly isChosen: boolean;
}) {
  return (
    <a
      class="list-line"
      href={hrefTo('work', [id], { tab: 'calls', call: call.key })}
      aria-current={isChosen ? 'true' : undefined}
    >
      <span class="number line-turn faint">{call.turnKey}</span>
      <span class={call.parentId === null ? 'call-name' : 'call-name call-nested'}>
        <VisibleText text={call.name} most={60} />
      </span>
      <span class="clip grow faint">
        <VisibleText text={shortInput(call).slice(0, 160)} most={160} />
      </span>
      <CallState call={call} />
    </a>
  );
}

interface CallPanelProps {
  readonly id: string;
  readonly call: CallRow;
  readonly output: string;
}

function CallPanel({ id, call, output }: CallPanelProps) {
  return (
    <section class="panel item-panel" aria-label={S.item.callTitle}>
      <div class="panel-head">
        <h2>
          <VisibleText text={call.name} />
        </h2>
        <span>
          <a href={hrefTo('work', [id], { tab: 'turns', turn: call.turnKey })}>{S.item.turnTitle(call.turnKey)}</a>{' '}
          <a class="step" aria-label={S.item.close} href={hrefTo('work', [id], { tab: 'calls' })}>
            ×
          </a>
        </span>
      </div>
      <p>
        <CallState call={call} />
      </p>
      <CallBody key={call.key} id={id} call={call} output={output} />
    </section>
  );
}
