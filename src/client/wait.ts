/** Waits for the end of work. */
import type { Api, NewWork, WorkEvent, WorkItem } from './api/api.ts';
import { ApiError } from './api-error.ts';
import type { CallOptions, EventOptions } from './options.ts';

export interface WaitOptions extends Omit<EventOptions, 'after'> {
  /** Called with each event before the next one is read. */
  readonly onEvent?: ((event: WorkEvent) => unknown) | undefined;
}

export interface Waiting {
  /**
   * Waits until a work item has ended, and returns it as it is then. Of work that was merged into another item, it waits for that one, if the
   * caller may see it.
   */
  wait(id: string, options?: WaitOptions): Promise<WorkItem>;
  /** Submits work and waits for its end. A caller that stops waiting does not cancel the work. */
  submitAndWait(work: NewWork, options?: WaitOptions & Pick<CallOptions, 'idempotencyKey'>): Promise<WorkItem>;
}

/** The methods that wait, on top of those of the routes. */
export function waiting({ work }: Pick<Api, 'work'>): Waiting {
  async function wait(id: string, options: WaitOptions = {}): Promise<WorkItem> {
    const { onEvent, ...rest } = options;
    for await (const event of work.events(id, rest)) await onEvent?.(event);
    const item = await work.show(id, { signal: options.signal });
    if (item.merged_into === null) return item;
    return wait(item.merged_into, options).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'work.not_found') return item;
      throw error;
    });
  }

  return {
    wait,
    async submitAndWait(newWork, options = {}) {
      const { idempotencyKey, ...rest } = options;
      const { id } = await work.submit(newWork, { idempotencyKey, signal: options.signal });
      return wait(id, rest);
    },
  };
}
