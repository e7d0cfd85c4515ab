/** The turns and calls of an item, read as they come. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Focus, TimelineTurn, ToolCall, Turn } from '../../../../client/client.ts';
import { api, sentenceOf } from '../../../model/api.ts';
import { GrowingList } from './growing-list.ts';
import { type CallRow, callRow, focusOfRow, type TurnRow, timelineRows, turnRow } from './rows.ts';

export interface ItemRecord {
  readonly foci: readonly Focus[];
  readonly turns: readonly TurnRow[];
  readonly calls: readonly CallRow[];
  /** By the key of their turn. */
  readonly callsOf: ReadonlyMap<string, readonly CallRow[]>;
  /** More is being read for the first time. */
  readonly loading: boolean;
  readonly problem: string | null;
}

const SHOW_MS = 300;
/** Of turns without contents. */
const TIMELINE_LIMIT = 5000;

type Read = Omit<ItemRecord, 'callsOf'>;
const NOTHING: Read = { foci: [], turns: [], calls: [], loading: true, problem: null };

/** Reads again when `revision` changes. Of a long item, contents are read when they are looked at. */
export function useRecord(id: string, revision: number, isLong: boolean): ItemRecord {
  const [record, setRecord] = useState(NOTHING);
  const reader = useMemo(() => new RecordReader(id, isLong), [id]);
  useEffect(() => setRecord(NOTHING), [id]);
  useEffect(() => {
    const stop = new AbortController();
    const shown = atIntervals((part) => setRecord((before) => ({ ...before, ...part })));
    void readAll(reader, stop.signal, shown.add);
    return () => {
      stop.abort();
      shown.end();
    };
  }, [reader, revision]);
  const callsOf = useMemo(() => Map.groupBy(record.calls, ({ turnKey }) => turnKey), [record.calls]);
  return { ...record, callsOf };
}

/** What pages bring is shown some times a second: laying out thousands of rows takes a while. */
function atIntervals(show: (part: Partial<Read>) => void) {
  let waiting: Partial<Read> | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let last = Number.NEGATIVE_INFINITY;
  const flush = () => {
    timer = null;
    last = performance.now();
    if (waiting !== null) show(waiting);
    waiting = null;
  };
  return {
    add(part: Partial<Read>) {
      waiting = { ...waiting, ...part };
      timer ??= setTimeout(flush, Math.max(0, SHOW_MS - (performance.now() - last)));
    },
    end() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

async function readAll(reader: RecordReader, signal: AbortSignal, show: (part: Partial<Read>) => void) {
  try {
    const foci = await reader.readFoci(signal);
    show({ foci });
    await reader.read(signal, show);
    show({ loading: false, problem: null });
  } catch (error) {
    if (!signal.aborted) show({ loading: false, problem: sentenceOf(error) });
  }
}

class RecordReader {
  readonly #id: string;
  readonly #isLong: boolean;
  readonly #timeline = new GrowingList<TimelineTurn>((turn) => this.#isOver(turn), TIMELINE_LIMIT);
  readonly #turns = new GrowingList<TurnRow>(({ endMs }) => endMs !== null);
  readonly #calls = new GrowingList<CallRow>(({ endMs }) => endMs !== null);
  #foci: ReadonlyMap<string, Focus> = new Map();

  constructor(id: string, isLong: boolean) {
    this.#id = id;
    this.#isLong = isLong;
  }

  async readFoci(signal: AbortSignal): Promise<readonly Focus[]> {
    const { items } = await api.record.listFoci(this.#id, { signal });
    this.#foci = new Map(items.map((focus) => [focus.id, focus]));
    return items;
  }

  async read(signal: AbortSignal, show: (part: Partial<Read>) => void): Promise<void> {
    if (this.#isLong) return this.#readTimeline(signal, show);
    await Promise.all([
      this.#readTurns(signal, (turns) => show({ turns })),
      this.#readCalls(signal, (calls) => show({ calls })),
    ]);
  }

  async #readTimeline(signal: AbortSignal, show: (part: Partial<Read>) => void): Promise<void> {
    const page = (after: string | undefined, limit: number) =>
      api.record.showTimeline(this.#id, { after, limit }, { signal }).page();
    for await (const all of this.#timeline.read(page)) {
      const rows = all.map((turn) => timelineRows(turn, this.#focusOf(turn.focus_id)));
      show({ turns: rows.map(({ turn }) => turn), calls: rows.flatMap(({ calls }) => calls) });
    }
  }

  #isOver({ focus_id, recorded_at, calls }: TimelineTurn): boolean {
    if (this.#focusOf(focus_id).endMs !== null) return true;
    return recorded_at !== null && calls.every(({ ended_at }) => ended_at !== null);
  }

  async #readTurns(signal: AbortSignal, show: (rows: readonly TurnRow[]) => void): Promise<void> {
    const page = async (after: string | undefined, limit: number) => {
      const { items, next } = await api.record.listTurns(this.#id, { after, limit }, { signal }).page();
      return { items: items.map((turn: Turn) => turnRow(turn, this.#focusOf(turn.focus_id))), next };
    };
    for await (const rows of this.#turns.read(page)) show(rows);
  }

  async #readCalls(signal: AbortSignal, show: (rows: readonly CallRow[]) => void): Promise<void> {
    const page = async (after: string | undefined, limit: number) => {
      const { items, next } = await api.record.listToolCalls(this.#id, { after, limit }, { signal }).page();
      return { items: items.map((call: ToolCall) => callRow(call, this.#focusOf(call.focus_id))), next };
    };
    for await (const rows of this.#calls.read(page)) show(rows);
  }

  /** A focus that began after the foci were read has the next number. */
  #focusOf(id: string) {
    const focus = this.#foci.get(id);
    return focus === undefined ? { number: this.#foci.size + 1, endMs: null } : focusOfRow(focus);
  }
}
