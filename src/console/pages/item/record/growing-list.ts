/** A list that only grows at its end, read page by page. What has ended is read once; what may still change is read again. */

interface PageOf<Row> {
  readonly items: readonly Row[];
  readonly next: string | null;
}

/** Reads the page after a cursor; undefined: the first one. */
export type ReadPage<Row> = (after: string | undefined, limit: number) => Promise<PageOf<Row>>;

const FIRST_LIMIT = 200;
/** Afterwards: small, so that little is read again. */
const NEXT_LIMIT = 25;

export class GrowingList<Row> {
  readonly #isFinal: (row: Row) => boolean;
  readonly #limit: number;
  /** All up to here will not change. */
  #final: readonly Row[] = [];
  #after: string | undefined = undefined;
  #wasRead = false;

  constructor(isFinal: (row: Row) => boolean, firstLimit = FIRST_LIMIT) {
    this.#isFinal = isFinal;
    this.#limit = firstLimit;
  }

  /** Reads to the end. Yields the whole list after each page. */
  async *read(page: ReadPage<Row>): AsyncGenerator<readonly Row[], void> {
    let rows = this.#final;
    let after = this.#after;
    let isFinal = true;
    for (;;) {
      const { items, next } = await page(after, this.#wasRead ? NEXT_LIMIT : this.#limit);
      rows = [...rows, ...items];
      isFinal &&= items.every(this.#isFinal);
      if (next !== null && isFinal) [this.#final, this.#after] = [rows, next];
      yield rows;
      if (next === null) break;
      after = next;
    }
    this.#wasRead = true;
  }
}
