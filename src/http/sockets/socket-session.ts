/** One WebSocket: its subscriptions to events, and its commands. */
import type { WebSocket } from 'ws';
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { parsedJson } from '../../core/text/json-values.ts';
import type { EventScope } from '../../store/events/read-events.ts';
import { followItem } from '../events/follow-item.ts';
import type { Frame } from '../events/frame.ts';
import type { Visit } from '../route/route.ts';
import { visitorEyes } from '../route/visitor-eyes.ts';
import { runCommand } from './run-command.ts';
import { CLIENT_MESSAGE, type Command, type Subscribe } from './socket-messages.ts';
import { checkToken, disconnectStalled } from './watch-socket.ts';

/** An error as the client is told of it. */
export type ShowError = (error: unknown) => { readonly code: string; readonly detail: string };

export interface Session extends Pick<Visit, 'visitor' | 'services' | 'signal'> {
  readonly showError: ShowError;
  /** Counts a message of the client; throws `http.too_many`. */
  readonly count: () => void;
  /** Bytes that the connection has taken so far. */
  readonly taken: () => number;
}

const MAX_SUBSCRIPTIONS = 100;
/** Events of a socket that reads slower than this many bytes behind wait in the tables. */
const MAX_BUFFERED_BYTES = 262_144;
const PIECE_MS = 50;
/** The close code for a client that may not go on. */
const NOT_ALLOWED = 1008;

/** Serves the socket until it closes or `signal` aborts. Never rejects. */
export async function runSession(socket: WebSocket, session: Session): Promise<void> {
  const { visitor, services, signal, showError, count, taken } = session;
  const over = new AbortController();
  const subscriptions = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const send = (message: object) => socket.send(JSON.stringify(message));
  const running = new Set<Promise<void>>();

  async function subscribe({ name, work, chat: conversation, after }: Subscribe, until: AbortSignal): Promise<void> {
    try {
      const live = await services.live.services();
      const eyes = visitorEyes({ visitor, services });
      const scope = scopeOf(work, conversation);
      const frames =
        scope === null ? live.states.follow(eyes, until) : followItem(live, eyes, scope, after ?? null, until);
      for await (const batch of frames) {
        for (const frame of batch) socket.send(eventMessage(name, frame));
        await drained(until);
        if (until.aborted) break;
      }
      // A server that stops does not say that the events are over.
      if (!over.signal.aborted && !signal.aborted) send({ type: 'end', name });
    } catch (error) {
      if (!over.signal.aborted) send({ type: 'error', name, ...showError(error) });
    } finally {
      subscriptions.delete(name);
    }
  }

  /** Waits until the client has read nearly everything. */
  async function drained(until: AbortSignal): Promise<void> {
    while (socket.bufferedAmount > MAX_BUFFERED_BYTES && !until.aborted) await services.clock.sleep(PIECE_MS, until);
  }

  function begin(message: Subscribe): void {
    if (subscriptions.has(message.name)) throw usageError(`${message.name} is in use`);
    if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw usageError(`a socket has at most ${MAX_SUBSCRIPTIONS} subscriptions`);
    }
    const stop = new AbortController();
    const until = AbortSignal.any([over.signal, stop.signal]);
    subscriptions.set(message.name, { stop, done: subscribe(message, until) });
  }

  async function command(message: Command): Promise<void> {
    try {
      send({ type: 'result', name: message.name, ...(await runCommand({ visitor, services }, message)) });
    } catch (error) {
      send({ type: 'error', name: message.name, ...showError(error) });
    }
  }

  function receive(text: string): void {
    if (signal.aborted) return;
    let name: unknown = null;
    try {
      const beyond = textBeyond(text, JSON_LIMITS.socketMessage);
      const given = beyond === null ? parsedJson(text) : null;
      name = (given as { readonly name?: unknown } | null)?.name ?? null;
      count();
      if (beyond !== null) throw usageError(`the message is too large: ${beyond}`);
      const read = CLIENT_MESSAGE.safeParse(given);
      if (!read.success) throw usageError(read.error.issues[0]?.message ?? 'unknown');
      const message = read.data;
      if (message.type === 'subscribe') begin(message);
      else if (message.type === 'unsubscribe') subscriptions.get(message.name)?.stop.abort('unsubscribed');
      else if (message.type === 'ping') send({ type: 'pong', name: message.name });
      else {
        const done = command(message);
        running.add(done);
        void done.finally(() => running.delete(done));
      }
    } catch (error) {
      send({ type: 'error', name, ...showError(error) });
    }
  }

  let paused = false;
  /** Stops reading the messages of a client that does not read its answers: these would pile up. */
  async function holdBack(): Promise<void> {
    if (paused || socket.bufferedAmount <= MAX_BUFFERED_BYTES) return;
    paused = true;
    socket.pause();
    await drained(over.signal);
    socket.resume();
    paused = false;
  }

  socket.on('ping', () => void holdBack());
  socket.on('message', (data, isBinary) => {
    if (isBinary) socket.close(1003, 'text only');
    else receive((data as Buffer).toString('utf8'));
    void holdBack();
  });
  // `ws` closes it, after telling the client why.
  socket.on('error', () => undefined);
  const end = () => socket.close(1001, 'the server ends');
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true, signal: over.signal });

  const refuse = (error: AnimusError) => {
    send({ type: 'error', name: null, ...showError(error) });
    socket.close(NOT_ALLOWED, error.code);
  };
  const watching = [
    disconnectStalled(socket, taken, services.clock, over.signal),
    checkToken(session, refuse, over.signal),
  ];
  await closed;
  over.abort('closed');
  await Promise.all([...watching, ...running, ...[...subscriptions.values()].map(({ done }) => done)]);
}

function scopeOf(work: string | undefined, conversation: string | undefined): EventScope | null {
  if (work !== undefined) return { kind: 'work', id: work };
  return conversation === undefined ? null : { kind: 'conversation', id: conversation };
}

/** The JSON of an event is written once for all readers. */
function eventMessage(name: string, { json }: Frame): string {
  return `{"type":"event","name":${JSON.stringify(name)},"event":${json}}`;
}
