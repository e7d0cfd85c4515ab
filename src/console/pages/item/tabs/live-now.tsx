/** What an item does right now: the answer as it comes, and what its running calls print. */
import type { ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hrefTo } from '../../../model/place.ts';
import { Prose } from '../../../ui/prose.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { shortInput } from '../record/call-input.ts';
import type { Live } from '../record/live.ts';
import type { CallRow } from '../record/rows.ts';
import type { ItemRecord } from '../record/use-record.ts';

interface LiveNowProps {
  readonly id: string;
  readonly record: ItemRecord;
  readonly live: ReadonlySignal<Live>;
}

export function LiveNow({ id, record, live }: LiveNowProps) {
  const { answer, outputs } = live.value;
  const running = record.calls.slice(-MOST_CALLS).filter(({ startMs, endMs }) => startMs !== null && endMs === null);
  if (answer === null && running.length === 0) return null;
  return (
    <section class="item-part" aria-label={S.item.now}>
      <h2>
        <span class="state-running" aria-hidden="true">
          ●
        </span>{' '}
        {S.item.now}
      </h2>
      {answer !== null && answer.text !== '' && (
        <div class="live-answer">
          <Prose text={answer.text} />
        </div>
      )}
      {running.map((call) => (
        <RunningCall key={call.key} id={id} call={call} output={outputs.get(call.id) ?? ''} />
      ))}
    </section>
  );
}

const MOST_CALLS = 100;

function RunningCall({ id, call, output }: { readonly id: string; readonly call: CallRow; readonly output: string }) {
  return (
    <div class="live-call">
      <a href={hrefTo('work', [id], { tab: 'calls', call: call.key })}>
        <VisibleText text={call.name} />
      </a>{' '}
      <span class="faint">
        <VisibleText text={shortInput(call)} most={200} />
      </span>
      {output !== '' && <LiveOutput text={output} />}
    </div>
  );
}

/** Stays at its end, unless somebody has scrolled up. */
export function LiveOutput({ text }: { readonly text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const stays = useRef(true);
  useLayoutEffect(() => {
    if (stays.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <div
      ref={box}
      class="live-output"
      tabIndex={0}
      role="log"
      aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        stays.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      <VisibleText text={text.slice(-MOST_OUTPUT)} lines most={Number.POSITIVE_INFINITY} />
    </div>
  );
}

const MOST_OUTPUT = 20_000;
