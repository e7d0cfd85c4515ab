/** One call in a line that opens: what it was asked, and what it answered. */
import { useState } from 'preact/hooks';
import { api } from '../../../model/api.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { CallInput } from '../../../ui/ask/call-input.tsx';
import { duration } from '../../../ui/duration.ts';
import { Json } from '../../../ui/json.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Text } from '../../../ui/text.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { shortInput } from '../record/call-input.ts';
import { type CallRow, contentsOf } from '../record/rows.ts';
import { LiveOutput } from './live-now.tsx';

interface CallLineProps {
  /** Of the item. */
  readonly id: string;
  readonly call: CallRow;
  /** What it has printed so far. */
  readonly output?: string;
}

export function CallLine({ id, call, output = '' }: CallLineProps) {
  const [open, setOpen] = useState(false);
  return (
    <div class="call">
      <button type="button" class="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        <span class="call-name">
          <VisibleText text={call.name} />
        </span>
        <span class="clip faint grow">
          <VisibleText text={shortInput(call)} most={160} />
        </span>
        <CallState call={call} />
      </button>
      {open && <CallBody id={id} call={call} output={output} />}
    </div>
  );
}

export function CallState({ call }: { readonly call: CallRow }) {
  const lasted = call.startMs === null || call.endMs === null ? null : call.endMs - call.startMs;
  return (
    <>
      {call.isError && <span class="state state-dead">{S.item.failed}</span>}
      {call.endMs === null && <span class="state state-running">{call.state}</span>}
      <span class="number faint">{lasted === null ? '' : duration(lasted)}</span>
    </>
  );
}

/** All of it: what the list has of it is only the beginning. */
export function CallBody({ id, call: row, output = '' }: CallLineProps) {
  const read = useLoaded(
    (signal) => api.record.showToolCall(id, row.turn, row.id, { focus_id: row.focusId }, { signal }),
    [id, row.key, row.endMs],
  );
  const call = read.value === undefined ? row : { ...row, ...contentsOf(read.value) };
  if (call.input === undefined) return <Shown of={read}>{() => null}</Shown>;
  return (
    <div class="call-body">
      <h3>{S.item.input}</h3>
      <CallInput tool={call.name} input={call.input} />
      {call.finalInput !== null && call.finalInput !== undefined && (
        <>
          <h3>{S.item.finalInput}</h3>
          <Json value={call.finalInput} label={S.item.finalInput} />
        </>
      )}
      <h3>{S.item.output}</h3>
      {call.output !== null ? (
        <Text mono text={call.output} />
      ) : output !== '' ? (
        <LiveOutput text={output} />
      ) : (
        <p class="faint">{S.item.noOutput}</p>
      )}
      {read.problem !== null && <Problem text={S.common.stale(read.problem)} retry={read.reload} />}
    </div>
  );
}
