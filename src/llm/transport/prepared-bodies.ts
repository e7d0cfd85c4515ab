/** Bodies of requests that were written before they may be sent. */
import type { LlmRequest } from '../client.ts';

/** `write` is pure: the same fields give the same body. A prepared body is kept as long as the list of its messages. */
export function createPreparedBodies(write: (request: LlmRequest) => string) {
  const prepared = new WeakMap<LlmRequest['messages'], { readonly request: LlmRequest; readonly body: string }>();
  return {
    prepare(request: LlmRequest): void {
      prepared.set(request.messages, { request, body: write(request) });
    },
    /** The body of a request: the prepared one, once, if a request with the same fields was prepared. */
    take(request: LlmRequest): string {
      const found = prepared.get(request.messages);
      prepared.delete(request.messages);
      return found && haveSameFields(found.request, request) ? found.body : write(request);
    },
  };
}

/** Compares the values by identity: a difference that does not matter only costs the time of writing the body again. */
function haveSameFields(one: LlmRequest, other: LlmRequest): boolean {
  const names = Object.keys(one) as (keyof LlmRequest)[];
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
