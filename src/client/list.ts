/** Lists that come in pages. */
import { ApiError } from './api-error.ts';

/** One page. `next` is the `after` of the following one; null: this is the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** A list: `for await` reads all of it, page by page as the loop goes on; `page` reads one. Nothing is sent before. */
export interface List<Item> extends AsyncIterable<Item> {
  /** The first page: the one after `after`, of at most `limit` items. */
  page(): Promise<Page<Item>>;
}

/** `read` reads the page after `after`; undefined: the one that the caller's input asks for. */
export function listOf<Item>(read: (after: string | undefined) => Promise<Page<Item>>): List<Item> {
  return {
    page: () => read(undefined),
    async *[Symbol.asyncIterator]() {
      for (let after: string | undefined; ; ) {
        const { items, next } = await read(after);
        yield* items;
        if (next === null) return;
        if (next === after) throw new ApiError('client.protocol', 'a page of the list is followed by itself');
        after = next;
      }
    },
  };
}
