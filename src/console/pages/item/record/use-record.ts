/** The turns and calls of an item, read as they come. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Focus, ToolCall, Turn } from '../../../../client/client.ts';
import { api, sentenceOf } from '../../../model/api.ts';
import { GrowingList } from './growing-list.ts';
import { type CallRow, callRow, numbersOf, type TurnRow, turnRow } from './rows.ts';

export interface ItemRecord {
  readonly foci: readonly Focus[];
  readonly turns: readonly TurnRow[];
  readonly calls: readonly CallRow[];
  /** More is being read for the first time. */
  readonly loading: boolean;
  readonly problem: string | null;
}

const NOTHING: ItemRecord = { foci: [], turns: [], calls: [], loading: true, problem: null };

/** Reads again when `revision` changes. */
export function useRecord(id: string, revision: number): ItemRecord {
  const [record, setRecord] = useState(NOTHING);
  const reader = useMemo(() => new RecordReader(id), [id]);
  useEffect(() => setRecord(NOTHING), [id]);
  useEffect(() => {
    const stop = new AbortController();
    void readAll(
      reader,
      stop.signal,
      (part) => !stop.signal.aborted && setRecord((before) => ({ ...before, ...part })),
    );
    return () => stop.abort();
  }, [reader, revision]);
  return record;
}

async function readAll(reader: RecordReader, signal: AbortSignal, show: (part: Partial<ItemRecord>) => void) {
  try {
    const foci = await reader.readFoci(signal);
    show({ foci });
    await Promise.all([
      reader.readTurns(signal, (turns) => show({ turns })),
      reader.readCalls(signal, (calls) => show({ calls })),
    ]);
    show({ loading: false, problem: null });
  } catch (error) {
    show({ loading: false, problem: sentenceOf(error) });
  }
}

class RecordReader {
  readonly #id: string;
  readonly #turns = new GrowingList<TurnRow>(({ endMs }) => endMs !== null);
  readonly #calls = new GrowingList<CallRow>(({ endMs }) => endMs !== null);
  #numbers: ReadonlyMap<string, number> = new Map();

  constructor(id: string) {
    this.#id = id;
  }

  async readFoci(signal: AbortSignal): Promise<readonly Focus[]> {
    const { items } = await api.record.listFoci(this.#id, { signal });
    this.#numbers = numbersOf(items);
    return items;
  }

  async readTurns(signal: AbortSignal, show: (rows: readonly TurnRow[]) => void): Promise<void> {
    const page = async (after: string | undefined, limit: number) => {
      const { items, next } = await api.record.listTurns(this.#id, { after, limit }, { signal }).page();
      return { items: items.map((turn: Turn) => turnRow(turn, this.#numberOf(turn.focus_id))), next };
    };
    for await (const rows of this.#turns.read(page)) show(rows);
  }

  async readCalls(signal: AbortSignal, show: (rows: readonly CallRow[]) => void): Promise<void> {
    const page = async (after: string | undefined, limit: number) => {
      const { items, next } = await api.record.listToolCalls(this.#id, { after, limit }, { signal }).page();
      return { items: items.map((call: ToolCall) => callRow(call, this.#numberOf(call.focus_id))), next };
    };
    for await (const rows of this.#calls.read(page)) show(rows);
  }

  /** A focus that began after the foci were read has the next number. */
  #numberOf(focusId: string): number {
    return this.#numbers.get(focusId) ?? this.#numbers.size + 1;
  }
}
