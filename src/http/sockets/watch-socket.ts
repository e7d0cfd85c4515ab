/** Ends sockets whose clients are gone, and those whose tokens are no longer valid. */
import { WebSocket } from 'ws';
import { type AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { asVisitor } from '../login/visitor.ts';
import type { Visit } from '../route/route.ts';

const PING_MS = 15_000;
/** A client that neither answers nor takes anything for this long is gone. */
const STALLED_MS = 60_000;
/** A socket whose token is not valid any more is closed within this time. */
const CHECK_MS = 60_000;

/** Pings the client, and disconnects it when it is gone. `taken`: how many bytes it has taken so far. Until `over` aborts. */
export async function disconnectStalled(
  socket: WebSocket,
  taken: () => number,
  clock: Clock,
  over: AbortSignal,
): Promise<void> {
  let answered = true;
  socket.on('pong', () => (answered = true));
  let before = taken();
  let heardMs = clock.monotonicMs();
  for (;;) {
    await clock.sleep(PING_MS, over);
    if (over.aborted) return;
    // Where a client reads slowly, its answer is behind what it has not read yet.
    if (answered || taken() !== before) heardMs = clock.monotonicMs();
    else if (clock.monotonicMs() - heardMs >= STALLED_MS) return socket.terminate();
    if (answered && socket.readyState === WebSocket.OPEN) {
      answered = false;
      socket.ping();
    }
    before = taken();
  }
}

/** Calls `refuse` when the visitor's token is not valid any more: without subscriptions, nothing else would notice. Until `over` aborts. */
export async function checkToken(
  { visitor, services }: Pick<Visit, 'visitor' | 'services'>,
  refuse: (error: AnimusError) => void,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    await services.clock.sleep(CHECK_MS, over);
    if (over.aborted) return;
    const error = await asVisitor(services.db, visitor, async () => null).catch((thrown: unknown) => thrown);
    if (isAnimusError(error, 'http.unauthorized')) return refuse(error);
  }
}
