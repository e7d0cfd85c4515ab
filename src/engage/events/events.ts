/**
 * What a focus says while it runs, to its own process: the events and hints of all readers (store/events), with what is known at that moment. Two
 * are only for this process: `phase`, and `asked` (the model is asked; `model` is the first one, and a fallback may answer).
 */
import type { Phase } from '../../core/work/words.ts';
import type { EventBody, EventOf, Hint, HintOf } from '../../store/events/event.ts';

export type FocusEvent = { readonly workItemId: string; readonly faculty: string } & FocusEventBody;

export type FocusEventBody =
  | { readonly type: 'phase'; readonly phase: Phase }
  | { readonly type: 'asked'; readonly turn: number; readonly model: string }
  /** A focus began or goes on (`running`), or where the item is after it, and why (`note`). */
  | Said<'state', 'state' | 'focus' | 'resumed' | 'note'>
  | Said<'turn', 'turn' | 'model' | 'inputTokens' | 'outputTokens' | 'estimated'>
  /** All texts of the answer. */
  | Said<'text', 'turn' | 'text'>
  | Said<'call', 'turn' | 'callId' | 'parentCallId' | 'name' | 'input'>
  | Said<'observation', 'turn' | 'callId' | 'parentCallId' | 'name' | 'isError' | 'output' | 'durationMs'>
  /** A call waits. The focus is parked when every other call of its turn has ended. */
  | Said<'waiting', 'callId' | 'kind' | 'deadline'>
  | Said<'ledger', 'seq' | 'entryType' | 'content'>
  | Hinted<'text', 'turn' | 'text'>
  | Hinted<'withdrawn', 'turn'>
  | Hinted<'observation', 'turn' | 'callId' | 'stream' | 'text'>;

/** Receives events; must not throw and is not awaited. */
export type FocusListener = (event: FocusEventBody) => void;

type Said<Type extends EventBody['type'], Fields extends keyof EventOf<Type>> = Pick<EventOf<Type>, 'type' | Fields> & {
  readonly live?: never;
};
type Hinted<Type extends Hint['type'], Fields extends keyof HintOf<Type>> = Pick<
  HintOf<Type>,
  'type' | 'live' | Fields
>;
