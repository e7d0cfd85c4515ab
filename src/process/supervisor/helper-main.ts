/** The main program of a helper process: the daemon starts it, and it outlives the daemon just long enough to end what it holds. */

/** What a helper does. */
export interface Helper<Message> {
  receive(message: Message): void;
  /** Ends everything that it holds, and resolves when all is gone and reported. */
  endAll(problem: string): Promise<void>;
}

/** Serves the daemon until its IPC channel closes or it says `stop`. `name`: such as `supervisor`. */
export function serveDaemon<Message extends { readonly type: string }>(
  name: string,
  { receive, endAll }: Helper<Message>,
): void {
  const leave = async (problem: string, code: number): Promise<void> => {
    await endAll(problem);
    process.exit(code);
  };
  // Ignore these signals. If a service manager signals every process of a unit, the daemon gets its grace time, and this process exits after it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => void leave('the daemon is gone', 0));
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    void leave(`the ${name} failed`, 1);
  });
  process.on('message', (message: Message | { readonly type: 'stop' }) => {
    if (!isStop(message)) return receive(message);
    // `disconnect` sends all queued messages first, so that every end is reported. Then the handler above exits.
    void endAll('the daemon stops').then(() => process.disconnect());
  });
}

function isStop(message: { readonly type: string }): message is { readonly type: 'stop' } {
  return message.type === 'stop';
}

/** Sends a message to the daemon, if it is still there. */
export function sendToDaemon(message: object): void {
  // The daemon may disconnect between the check and the send; with a callback, `send` does not throw then.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
