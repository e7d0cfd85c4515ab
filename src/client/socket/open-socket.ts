/** A WebSocket of the API: subscriptions that go on over any number of connections, and commands. */
import type {
  AnswerInput,
  AnswerOutput,
  ChatEvent,
  DenyInput,
  DenyOutput,
  StatesEvent,
  WorkEvent,
  WorkState,
} from '../api/api.ts';
import { ApiError } from '../api-error.ts';
import type { Connection } from '../call.ts';
import { LASTED_MS, USUAL_PATIENCE_MS, USUAL_SILENCE_MS } from '../follow-events.ts';
import type { CallOptions, ClientOptions, EventOptions } from '../options.ts';
import type { StreamedEvent } from '../read-events.ts';
import { isTransient } from '../send.ts';
import { backOffMs, sleep } from '../sleep.ts';
import { type Deferred, deferred } from './deferred.ts';
import { type EventQueue, eventQueue } from './event-queue.ts';
import { refusalOf, type SocketMessage } from './socket-link.ts';
import { openSocketLinks } from './socket-links.ts';

/** Options of a WebSocket. */
export type SocketOptions = Pick<EventOptions, 'patienceMs' | 'silenceMs'>;

type SubscribeOptions = Pick<EventOptions, 'after' | 'signal'>;
type CommandOptions = Pick<CallOptions, 'signal' | 'timeoutMs'>;

/** What a decision did. */
type Decided = Omit<DenyOutput, 'work_item_id'>;

/**
 * Streams are those of `client.work.events`, `client.chats.events` and `client.work.states`: each recorded event once and in order, hints perhaps not.
 * Commands are not sent again when the connection breaks (`client.unreachable`): they have no idempotency key, as the methods of the HTTP API have.
 */
export interface Socket {
  work(id: string, options?: SubscribeOptions): AsyncGenerator<WorkEvent, void>;
  chat(id: string, options?: SubscribeOptions): AsyncGenerator<ChatEvent, void>;
  states(options?: Pick<SubscribeOptions, 'signal'>): AsyncGenerator<StatesEvent, void>;
  say(
    id: string,
    input: { readonly text: string; readonly wake?: boolean | undefined },
    options?: CommandOptions,
  ): Promise<{ readonly work_item_id: string; readonly message_id: string; readonly state: WorkState }>;
  cancel(
    id: string,
    input?: { readonly reason?: string | undefined },
    options?: CommandOptions,
  ): Promise<{ readonly state: WorkState }>;
  approve(id: string, input: DenyInput, options?: CommandOptions): Promise<Decided>;
  deny(id: string, input: DenyInput, options?: CommandOptions): Promise<Decided>;
  answer(id: string, input: AnswerInput, options?: CommandOptions): Promise<Pick<AnswerOutput, 'ask_id'>>;
  /** Ends all streams and closes the connection. */
  close(): void;
}

const USUAL_TIMEOUT_MS = 60_000;

export function openSocket(connection: Connection, client: ClientOptions, options: SocketOptions = {}): Socket {
  const { patienceMs = USUAL_PATIENCE_MS, silenceMs = USUAL_SILENCE_MS } = options;
  const closing = new AbortController();
  const queues = new Map<string, EventQueue>();
  const calls = new Map<string, Deferred<unknown>>();
  let names = 0;

  const links = openSocketLinks(connection, client, {
    patienceMs,
    silenceMs,
    signal: closing.signal,
    onMessage: receive,
    onEnd(error) {
      for (const queue of queues.values()) queue.end(error);
      for (const call of calls.values()) call.reject(inDoubt(error));
      queues.clear();
      calls.clear();
    },
  });

  function receive(message: SocketMessage): void {
    const name = message.name!;
    const queue = queues.get(name);
    const call = calls.get(name);
    if (message.type === 'event') {
      if (queue?.push(message['event'] as StreamedEvent) === false) unsubscribe(name);
    } else if (message.type === 'end') queue?.end('over');
    else if (message.type === 'error') {
      queue?.end(refusalOf(message));
      call?.reject(refusalOf(message));
    } else if (message.type === 'result') {
      const { type: _, name: __, ...result } = message;
      call?.resolve(result);
    }
  }

  function unsubscribe(name: string): void {
    if (queues.delete(name)) links.sendIfOpen({ type: 'unsubscribe', name });
  }

  async function* follow<Event>(what: object, { after, signal }: SubscribeOptions): AsyncGenerator<Event, void> {
    const until = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    let last = after;
    const failures = createFailures(patienceMs);
    for (;;) {
      signal?.throwIfAborted();
      if (closing.signal.aborted) return;
      const link = await links.open(until).catch((error: unknown) => {
        if (closing.signal.aborted) return null;
        throw error;
      });
      if (link === null) return;
      const queue = eventQueue();
      const name = `s${names++}`;
      const leave = () => queue.end('over');
      until.addEventListener('abort', leave);
      queues.set(name, queue);
      failures.begin();
      try {
        if (!link.send({ ...what, type: 'subscribe', name, after: last })) throw unsent();
        const events = queue.read();
        let next = await events.next();
        for (; !until.aborted && !next.done; next = await events.next()) {
          last = next.value.id ?? last;
          yield next.value as Event;
          failures.reset();
        }
        // A reader that was too slow asks again for what comes after the last event that it has read.
        if (next.done && next.value === 'over' && !until.aborted) return;
      } catch (error) {
        if (!mayPass(error)) throw error;
        await sleep(failures.waitMs(error), until).catch(() => undefined);
      } finally {
        until.removeEventListener('abort', leave);
        unsubscribe(name);
      }
    }
  }

  async function command<Result>(fields: object, { signal, timeoutMs }: CommandOptions = {}): Promise<Result> {
    const until = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    const link = await links.open(until);
    const name = `c${names++}`;
    const call = deferred<unknown>();
    calls.set(name, call);
    const leave = () => call.reject(until.reason);
    until.addEventListener('abort', leave);
    const mostMs = timeoutMs ?? client.timeoutMs ?? USUAL_TIMEOUT_MS;
    const late = () => call.reject(new ApiError('client.timeout', `the command was not answered within ${mostMs} ms`));
    const timer = setTimeout(late, mostMs);
    try {
      if (!link.send({ ...fields, type: 'command', name })) throw unsent();
      return (await call.promise) as Result;
    } finally {
      clearTimeout(timer);
      until.removeEventListener('abort', leave);
      calls.delete(name);
    }
  }

  return {
    work: (work, given = {}) => follow({ work }, given),
    chat: (chat, given = {}) => follow({ chat }, given),
    states: (given = {}) => follow({}, given),
    say: (work, input, given) => command({ ...input, do: 'say', work }, given),
    cancel: (work, input, given) => command({ ...input, do: 'cancel', work }, given),
    approve: (work, input, given) => command({ ...input, do: 'approve', work }, given),
    deny: (work, input, given) => command({ ...input, do: 'deny', work }, given),
    answer: (work, input, given) => command({ ...input, do: 'answer', work }, given),
    close() {
      closing.abort(new ApiError('client.invalid', 'the WebSocket was closed'));
      links.close();
    },
  };
}

/** Counts the failures of a stream in a row. */
function createFailures(patienceMs: number) {
  let [count, begunMs, brokenMs] = [0, 0, null as number | null];
  const reset = () => {
    count = 0;
    brokenMs = null;
  };
  return {
    begin: () => (begunMs = performance.now()),
    reset,
    /** How long to wait before the next connection. Throws the error if the patience is over. */
    waitMs(error: unknown): number {
      const nowMs = performance.now();
      if (nowMs - begunMs > LASTED_MS) reset();
      brokenMs ??= nowMs;
      const waitMs = backOffMs(count++);
      if (nowMs - brokenMs + waitMs > patienceMs) throw error;
      return waitMs;
    },
  };
}

function unsent(): ApiError {
  return new ApiError('client.unreachable', 'the connection broke before anything was sent', { retryable: true });
}

/** Errors of the server that pass. Over a WebSocket they have no status. */
const PASSING: ReadonlySet<string> = new Set(['http.starting', 'http.no_database', 'http.too_many', 'http.issuer']);

function mayPass(error: unknown): boolean {
  return isTransient(error) || (error instanceof ApiError && PASSING.has(error.code));
}

function inDoubt(error: ApiError): ApiError {
  if (!isTransient(error)) return error;
  const message = 'the connection broke before the answer: the command may have had its effect';
  return new ApiError('client.unreachable', message, { cause: error });
}
