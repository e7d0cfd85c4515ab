/** Follows a conversation over any number of connections, and says when one is lost. */
import { ApiError, type ChatEvent, type Client } from '../../../client/client.ts';

export interface FollowOptions {
  readonly client: Pick<Client, 'chats'>;
  readonly workspace: string;
  readonly chat: string;
  readonly signal: AbortSignal;
  /** Before any event: read the messages now. What comes afterwards is not left out. */
  readonly onReady: () => Promise<void>;
  readonly onEvent: (event: ChatEvent) => void;
  /** Why the connection is lost; null: it is back. */
  readonly onLost: (why: string | null) => void;
  readonly sleep?: (ms: number) => Promise<void>;
}

const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 15_000;

/** Ends with the signal, or when nothing follows. Errors: what no new connection mends, such as a conversation that is gone. */
export async function followChat(options: FollowOptions): Promise<void> {
  const { client, workspace, chat, signal, onReady, onEvent, onLost, sleep = wait } = options;
  let last = 'now';
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      // It throws at once when it is lost: the person is told, and this goes on after the last event.
      for await (const event of client.chats.events(workspace, chat, { after: last, signal, patienceMs: 0 })) {
        if (event.type === 'position') await onReady();
        if ('id' in event) last = event.id;
        waitMs = FIRST_WAIT_MS;
        onLost(null);
        if (event.type === 'closed') throw closed(event.code);
        if (event.type !== 'position') onEvent(event);
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError) || !error.retryable) throw error;
      onLost(error.message);
    }
    await sleep(waitMs);
    waitMs = Math.min(2 * waitMs, MOST_WAIT_MS);
  }
}

function closed(code: string): Error {
  return new ApiError(code as ApiError['code'], code);
}

async function wait(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    // The network is back: no reason to wait longer.
    addEventListener('online', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    }
  });
}
