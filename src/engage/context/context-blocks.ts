/** Blocks of a history and the stubs that replace them. Pure. */
import { estimateTokens } from '../../core/work/tokens.ts';
import type { OpenHandle } from '../../store/open/open-handles.ts';
import { ownPart, type Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { fitEntries } from '../prompt/cut-text.ts';
import { stubText } from '../prompt/prompt.ts';
import { isFold, legalCut, newestFold, outlivesItsBlock } from './context-folds.ts';
import { type LedgerWrite, ledgerWrites } from './ledger-writes.ts';
import { estimateTurn } from './pressure.ts';

/** A block that the newest turn closed. */
export interface ClosedBlock {
  /** The first turn after it: the closing one, whose results the model has not seen. */
  readonly keepsFrom: number;
  readonly turns: readonly RecordedTurn[];
  /** The steps that closed it, numbered from 1 within the focus. */
  readonly steps: readonly { readonly number: number; readonly content: string }[];
  /** The last plan of the block; null if it wrote none. */
  readonly plan: string | null;
  /** Findings, decisions and errors, in order. */
  readonly facts: readonly LedgerWrite[];
  /** Estimated tokens that folding it removes from the context. */
  readonly tokens: number;
}

/**
 * The block that the newest turn closes, if it closes one and nothing was folded for it yet. Several steps in one answer close it
 * once. A block that was too small for a stub is still open and becomes part of this one.
 */
export function closedBlock(whole: Transcript): ClosedBlock | null {
  const transcript = ownPart(whole);
  const newest = transcript.turns.at(-1);
  if (!newest || !ledgerWrites(newest).some(isStep)) return null;
  const fold = newestFold(transcript);
  if (fold?.afterTurn === newest.turn) return null;
  const from = Math.max(fold?.keepsFrom ?? 1, transcript.turns[0]!.turn);
  const keepsFrom = Math.max(from, legalCut(transcript, newest.turn));
  const turns = transcript.turns.filter(({ turn }) => turn >= from && turn < keepsFrom);
  if (turns.length === 0) return null;

  const writes = transcript.turns.flatMap(ledgerWrites);
  // The previous fold contains the steps of the turn after which it was made; a summary contains everything up to then.
  const toldUpTo = fold?.afterTurn ?? 0;
  const toldFactsUpTo = fold?.kind === 'summary' ? fold.afterTurn : from - 1;
  const own = writes.filter(({ turn }) => turn > toldFactsUpTo && turn < keepsFrom);
  return {
    keepsFrom,
    turns,
    steps: writes
      .filter(isStep)
      .map((step, index) => ({ ...step, number: index + 1 }))
      .filter(({ turn }) => turn > toldUpTo),
    plan: own.findLast(({ type }) => type === 'plan')?.content ?? null,
    facts: own.filter(({ type }) => type === 'finding' || type === 'decision' || type === 'error'),
    tokens: tokensOf(turns, transcript),
  };
}

/**
 * The stub of a block: its steps, plan, findings, decisions and errors, verbatim if they fit into `maxBytes` together
 * (otherwise the longest are cut, and none is left out), and the open handles that it mentions.
 */
export function stubOf(block: ClosedBlock, open: readonly OpenHandle[], maxBytes: number): string {
  const texts = [...block.steps, ...block.facts].map(({ content }) => content);
  const fit = fitEntries([...texts, block.plan ?? ''], maxBytes);
  return stubText({
    steps: block.steps.map(({ number, content }) => ({ number, content: fit(content) })),
    plan: block.plan === null ? null : fit(block.plan),
    facts: block.facts.map(({ type, content }) => ({ type, content: fit(content) })),
    handles: handlesOf(block, open),
  });
}

/** A stub that would not make the context smaller is not created: the block stays open and is folded with the next one. */
export function isWorthIt(block: ClosedBlock, stub: string): boolean {
  return estimateTokens(stub) < block.tokens;
}

function handlesOf(block: ClosedBlock, open: readonly OpenHandle[]): OpenHandle[] {
  if (open.length === 0) return [];
  const text = JSON.stringify(block.turns);
  return open.filter(({ id }) => text.includes(id));
}

function tokensOf(turns: readonly RecordedTurn[], transcript: Transcript): number {
  const spanned = new Set(turns.map(({ turn }) => turn));
  const said = transcript.messages.filter(
    (message) => spanned.has(message.afterTurn) && !isFold(message) && !outlivesItsBlock(message),
  );
  const words = said.map(({ content }) => estimateTokens(content));
  return [...turns.map(estimateTurn), ...words].reduce((sum, tokens) => sum + tokens, 0);
}

function isStep({ type }: LedgerWrite): boolean {
  return type === 'step';
}
