/** What a reader of events is sent: JSON that is written once for all readers, and as bytes of an event stream. */
import type { AnyEvent, Hint } from '../../store/events/event.ts';
import { sentEvent, sentHint, snakeCase } from '../../store/events/sent-event.ts';
import type { HintType } from './stream-hints.ts';

/** A recorded event (with an id, after which a reader can go on), or a hint (without). */
export interface Frame {
  readonly id: string | null;
  readonly type: string;
  /** In one line; names in snake_case. */
  readonly json: string;
  /** As an event of an event stream (text/event-stream). Made when it is first asked for. */
  readonly bytes: () => Uint8Array;
}

/** Takes frames at once, without a promise for each: what a thousand readers need. */
export interface Sink {
  /** Returns false if its reader has not taken what was sent: wait until `drained` then. */
  send(frames: readonly Frame[]): boolean;
  drained(): Promise<void>;
}

/** The frame of a recorded event. */
export function eventFrame(event: AnyEvent, id: string): Frame {
  return frameOf(id, event.type, sentEvent(event, id));
}

/** The same event after another position. */
export function withId(frame: Frame, id: string): Frame {
  return frameOf(id, frame.type, { ...(JSON.parse(frame.json) as object), id });
}

/** The frame that tells a reader its place before anything has happened, so that it can go on from there. */
export function placeFrame(id: string): Frame {
  const type: HintType = 'position';
  return frameOf(id, type, { type, live: true, id });
}

/** The frame of a hint about work: it is not sent again, and does not change where a reader goes on. */
export function workHintFrame(hint: Hint): Frame {
  return frameOf(null, hint.type, sentHint(hint));
}

/** The frame of a hint about a connection, or about all work. */
export function hintFrame(type: HintType, fields: object): Frame {
  return frameOf(null, type, snakeCase({ type, live: true, ...fields }));
}

function frameOf(id: string | null, type: string, fields: object): Frame {
  const json = JSON.stringify(fields);
  let bytes: Uint8Array | null = null;
  return {
    id,
    type,
    json,
    bytes: () =>
      (bytes ??= Buffer.from(`${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`, 'utf8')),
  };
}
