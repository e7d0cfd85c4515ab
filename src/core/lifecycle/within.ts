/**
 * A signal that aborts with any of `signals`, and after `ms` milliseconds. Of `AbortSignal.any` with an `AbortSignal.timeout` that nobody else holds, Node (from 24.16 on)
 * forgets the time limit while nobody listens (nodejs/node#65995): the listener keeps it until it has passed.
 */
export function within(ms: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const limited = AbortSignal.any([...signals, AbortSignal.timeout(ms)]);
  limited.addEventListener('abort', () => {}, { once: true });
  return limited;
}
