/** Plans the compaction of a full context: keeps the beginning, the ledger, and the newest messages. Pure. */

import { unfenced } from '../../core/text/fence.ts';
import { BYTES_PER_TOKEN, estimateTokens } from '../../core/work/tokens.ts';
import type { LedgerType } from '../../core/work/work.ts';
import type { OpenHandle } from '../../store/open/open-handles.ts';
import type { LedgerEntry } from '../../store/transcript/ledger.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { fitEntries } from '../prompt/cut-text.ts';
import { LEDGER_HEADING, NARRATIVE_HEADING, summaryText } from '../prompt/prompt.ts';
import { renderMessages } from './context.ts';
import { keptFrom, legalCut, liveFolds } from './context-folds.ts';
import { estimateTurn, inputPressure, type Prefix } from './pressure.ts';

/** The input of a compaction. */
export interface CompactionInput {
  readonly ledger: readonly Pick<LedgerEntry, 'type' | 'content'>[];
  readonly handles: readonly OpenHandle[];
  readonly prefix: Prefix;
  /** Messages to keep verbatim, if they fit. */
  readonly keepRecent: number;
  /** Tokens the prompt may have afterwards. */
  readonly promptTokens: number;
  /** Tokens for the entries of the ledger. */
  readonly summaryTokens: number;
}

/** A compaction that would make the context smaller. */
export interface Compaction {
  readonly keepsFrom: number;
  /** The summary that replaces everything before. */
  readonly content: string;
  /** True if the prompt fits afterwards. */
  readonly fits: boolean;
  /** True if the ledger says too little about the removed part, so that a model should summarise it. */
  readonly thin: boolean;
}

/** If the ledger is smaller than this share of the removed part, it is not enough to continue from. */
const THIN_SHARE = 0.01;

/** A compaction that leaves more than this share of the prompt is not worth the lost cache, and would soon be needed again. */
const WORTH_SHARE = 0.8;

/**
 * Keeps the `keepRecent` newest messages, or fewer if they do not fit. The newest turn always stays, because the model has
 * not seen its results. Null if a compaction would not help.
 */
export function planCompaction(transcript: Transcript, input: CompactionInput): Compaction | null {
  const newest = transcript.turns.at(-1);
  if (!newest) return null;
  const content = summaryOf(transcript, input, narrativeSoFar(transcript));
  const after = (keepsFrom: number) => inputPressure(withSummary(transcript, keepsFrom, content), input.prefix);
  const last = Math.max(keptFrom(transcript), legalCut(transcript, newest.turn));
  let keepsFrom = recentFrom(transcript, input.keepRecent);
  while (keepsFrom < last && after(keepsFrom) > input.promptTokens) keepsFrom = nextCut(transcript, keepsFrom, last);
  const tokens = after(keepsFrom);
  if (tokens > WORTH_SHARE * inputPressure(transcript, input.prefix)) return null;
  return { keepsFrom, content, fits: tokens <= input.promptTokens, thin: isThin(transcript, keepsFrom, input.ledger) };
}

/** The text of a summary: the narrative, if there is one, and then the ledger grouped by type. */
export function summaryOf(
  transcript: Transcript,
  { ledger, handles, summaryTokens }: Pick<CompactionInput, 'ledger' | 'handles' | 'summaryTokens'>,
  narrative: string | null,
): string {
  const of = (type: LedgerType) => ledger.filter((entry) => entry.type === type).map(({ content }) => content);
  const groups = [
    { heading: 'Plan', entries: of('plan').slice(-1) },
    { heading: 'Findings', entries: of('finding') },
    { heading: 'Decisions', entries: of('decision') },
    { heading: 'Steps done', entries: of('step') },
    { heading: 'Errors', entries: of('error') },
  ];
  const all = groups.flatMap(({ entries }) => entries);
  const fit = fitEntries(all, summaryTokens * BYTES_PER_TOKEN);
  const fitting = groups.map(({ heading, entries }) => ({ heading, entries: entries.map(fit) }));
  return summaryText({ narrative, groups: fitting, handles });
}

/** The transcript as it will be once the summary is recorded. */
export function withSummary(transcript: Transcript, keepsFrom: number, content: string): Transcript {
  const summary: EngineMessage = { afterTurn: transcript.turns.length, kind: 'summary', content, keepsFrom };
  return { ...transcript, messages: [...transcript.messages, summary] };
}

/** A model's earlier summary of the history; it is not in the ledger. */
export function narrativeSoFar(transcript: Transcript): string | null {
  const [first] = liveFolds(transcript);
  if (first?.kind !== 'summary' || !first.content.startsWith(`${NARRATIVE_HEADING}\n`)) return null;
  const rest = first.content.slice(NARRATIVE_HEADING.length + 1);
  // A summary of an older version has no fences; the next heading ends its narrative.
  return unfenced(rest) ?? rest.slice(0, rest.lastIndexOf(`\n${LEDGER_HEADING}\n`)).trim();
}

/** The first turn of the newest `count` messages, moved back to a place where a history may be cut. */
function recentFrom(transcript: Transcript, count: number): number {
  const from = keptFrom(transcript);
  let cut = transcript.turns.length;
  // The first message is the opening; the rest is the open block.
  const kept = (turn: number) => renderMessages(withSummary(transcript, turn, LEDGER_HEADING)).length - 1;
  while (cut > from && kept(cut - 1) <= count) cut -= 1;
  return Math.max(from, legalCut(transcript, cut));
}

function nextCut(transcript: Transcript, cut: number, last: number): number {
  for (let turn = cut + 1; turn < last; turn += 1) if (legalCut(transcript, turn) === turn) return turn;
  return last;
}

function isThin(transcript: Transcript, keepsFrom: number, ledger: CompactionInput['ledger']): boolean {
  const from = keptFrom(transcript);
  const gone = transcript.turns.filter(({ turn }) => turn >= from && turn < keepsFrom);
  const tokens = gone.reduce((sum, turn) => sum + estimateTurn(turn), 0);
  const written = ledger.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  return written < THIN_SHARE * tokens;
}
