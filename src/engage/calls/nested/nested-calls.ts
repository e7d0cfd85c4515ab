/** The calls of tools that the code of one execution makes. */
import { interruption } from '../../../core/errors/interruption.ts';
import type { CodeEntry, RecordedCall } from '../../../store/transcript/calls.ts';
import { codeEntry } from '../../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../../store/transcript/turns.ts';
import { codeSpecs } from '../../../tools/registry.ts';
import { type EndedNestedCall, type NestedCalls, type Tool, toolError } from '../../../tools/tool.ts';
import { tooManyAtOnce, tooManyCalls } from '../../prompt/code-texts.ts';
import type { CallsRun, Reach } from '../reach.ts';
import { createSlots } from '../slots.ts';
import type { Execution } from './execution.ts';
import { makeNestedCall } from './nested-call.ts';
import { keepNestedFile } from './nested-files.ts';
import { createNestedJournal } from './nested-journal.ts';
import { createNestedRecord } from './nested-record.ts';

/** Of one execution. */
const MAX_CALLS = 5000;
/** Running and waiting for a slot. */
const MAX_AT_ONCE = 256;

export interface OpenNestedCalls extends NestedCalls {
  /** Aborts with what ends the focus: a lost lease, an unreachable database. */
  readonly fatal: AbortSignal;
  /** The ledger entries that were written so far. */
  wrote(): readonly CodeEntry[];
}

/**
 * Opens the calls of the code that `parent` runs, which is recorded as started. World tools run in parallel, at most `maxParallelTools`; database
 * tools one after the other, so that ledger entries keep the order of their calls. Close it, whatever happens.
 */
export function openNestedCalls(
  turn: RecordedTurn,
  parent: RecordedCall,
  run: CallsRun,
  reach: Reach,
): OpenNestedCalls {
  const closing = new AbortController();
  const fatal = new AbortController();
  const takeSlot = createSlots(reach.maxParallelTools);
  const running = new Set<Promise<unknown>>();
  const ends: EndedNestedCall[] = [];
  const wrote: CodeEntry[] = [];
  const journal = createNestedJournal(
    reach.db,
    reach.callScope,
    { turn: turn.turn, callId: parent.callId },
    run.signal,
    (error) => fatal.abort(error),
  );
  const onEnd: Execution['onEnd'] = (ended, call) => {
    ends.push(ended);
    if (ended.name === 'ledger_append' && ended.state === 'done') wrote.push(codeEntry(call));
  };
  const toolset = callable(reach.toolset);
  const execution: Execution = {
    turn,
    parent,
    run,
    reach: { ...reach, toolset },
    record: createNestedRecord(),
    journal,
    onEnd,
  };
  let made = 0;
  let database: Promise<unknown> = Promise.resolve();

  return {
    tools: codeSpecs(toolset),
    fatal: fatal.signal,
    wrote: () => wrote,
    async call(call, own) {
      const signal = AbortSignal.any([run.signal, fatal.signal, closing.signal, own]);
      signal.throwIfAborted();
      if (made >= MAX_CALLS) return toolError(tooManyCalls(MAX_CALLS));
      if (running.size >= MAX_AT_ONCE) return toolError(tooManyAtOnce(MAX_AT_ONCE));
      const n = ++made;
      const work = () => makeNestedCall(call, n, execution, signal);
      const mine = toolset.get(call.name)?.kind === 'database' ? database.then(work) : takeSlot(work);
      if (toolset.get(call.name)?.kind === 'database') database = mine.catch(() => undefined); // the caller gets the failure
      running.add(mine);
      try {
        return await mine;
      } catch (error) {
        // Whatever is not the end of this call's own time ends the focus.
        if (!signal.aborted) fatal.abort(error);
        throw error;
      } finally {
        running.delete(mine);
      }
    },
    keepFile: (file) => keepNestedFile(file, turn, parent, run, reach),
    async close() {
      closing.abort(interruption());
      await Promise.allSettled(running);
      if (fatal.signal.aborted) throw fatal.signal.reason as Error;
      run.signal.throwIfAborted();
      await journal.flush();
      return ends.toSorted((a, b) => a.n - b.n);
    },
  };
}

/** Code does not run code. */
function callable(toolset: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  return new Map([...toolset].filter(([, tool]) => !(tool.kind === 'world' && tool.callsTools)));
}
