import { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateMessages } from '../../../src/core/work/message-tokens.ts';
import { planCompaction } from '../../../src/engage/context/compaction.ts';
import { renderMessages } from '../../../src/engage/context/context.ts';
import { contextLimits } from '../../../src/engage/context/context-bounds.ts';
import { ledgerWrites } from '../../../src/engage/context/ledger-writes.ts';
import { type ContextSettings, planContext, withPlan } from '../../../src/engage/context/plan-context.ts';
import { inputPressure } from '../../../src/engage/context/pressure.ts';
import { NARRATIVE_HEADING, summaryText } from '../../../src/engage/prompt/prompt.ts';
import type { OpenHandle } from '../../../src/store/open/open-handles.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import { type RunSpec, run } from './arbitrary-run.ts';
import { checkKept, checkLegal, checkTail, openingOf, PREFIX } from './context-checks.ts';
import { recordedTurn, saidAfter } from './recorded-run.ts';

describe('a context, whatever happens in it', () => {
  it('is valid, loses nothing that the agent recorded, and changes only at its end', () => {
    let folds = { stub: 0, summary: 0 };
    assert(
      property(run, (spec) => {
        folds = walk(spec, folds);
      }),
      { numRuns: 60 },
    );
    // The histories did exercise both layers.
    expect(folds.stub).toBeGreaterThan(20);
    expect(folds.summary).toBeGreaterThan(5);
  });
});

/** Plays a history turn by turn, as the loop does, and checks every request. */
function walk(spec: RunSpec, folds: { stub: number; summary: number }): { stub: number; summary: number } {
  const settings = settingsOf(spec);
  let transcript: Transcript = {
    turns: [],
    messages: [
      { afterTurn: 0, kind: 'orient', content: '# Work' },
      { afterTurn: 0, kind: 'skill', content: 'A skill.' },
    ],
  };
  let before = renderMessages(transcript);
  const handles: OpenHandle[] = [];
  const counts = { ...folds };
  for (const [index, one] of spec.turns.entries()) {
    const number = index + 1;
    const asked = estimateMessages(before);
    const counted = one.miscount === null ? null : Math.max(0, asked + one.miscount);
    const taken = recordedTurn(number, one, handles, counted);
    const arrived = {
      turns: [...transcript.turns, taken],
      messages: [...transcript.messages, ...saidAfter(number, one)],
    };
    const settled = settle(arrived, handles, settings);
    if (counted !== null) {
      const grown = estimateMessages(renderMessages(settled)) - asked;
      expect(inputPressure(settled, PREFIX)).toBe(Math.max(0, counted + grown));
    }
    transcript = compacted(settled, handles, spec, settings);
    const rendered = renderMessages(transcript);

    checkLegal(rendered, spec.thinks);
    checkKept(transcript, rendered, handles);
    const made = transcript.messages.slice(arrived.messages.length);
    if (made.some(({ kind }) => kind === 'stub')) counts.stub += 1;
    if (made.some(({ kind }) => kind === 'summary')) counts.summary += 1;
    checkTail(before, rendered, made, openingOf(arrived));
    // Read back from rows and planned again, as after a crash: the same bytes.
    const reread = JSON.parse(JSON.stringify(transcript)) as Transcript;
    expect(renderMessages(settle(reread, handles, settings))).toEqual(rendered);
    before = rendered;
  }
  return counts;
}

function settingsOf(spec: RunSpec): ContextSettings {
  const bounds = {
    compactThreshold: 0.7,
    compactKeepRecent: spec.keepRecent,
    ledgerNudgeInterval: spec.nudgeInterval,
    truncateClosedBlocks: spec.stubs,
  };
  const limits = contextLimits(bounds, { contextWindow: spec.window, settings: { maxTokens: 1000 } });
  return { ...bounds, focusId: 'f', limits, maxTurns: 12, thinks: spec.thinks };
}

function settle(transcript: Transcript, handles: readonly OpenHandle[], settings: ContextSettings): Transcript {
  const { oversized, messages } = planContext(transcript, handles, settings);
  return withPlan(transcript, oversized, messages);
}

function compacted(transcript: Transcript, handles: readonly OpenHandle[], spec: RunSpec, { limits }: ContextSettings) {
  if (inputPressure(transcript, PREFIX) <= limits.prompt) return transcript;
  const ledger = transcript.turns.flatMap(ledgerWrites);
  const plan = planCompaction(transcript, {
    ledger,
    handles,
    prefix: PREFIX,
    keepRecent: spec.keepRecent,
    promptTokens: limits.prompt,
    summaryTokens: limits.summary,
  });
  if (!plan) return transcript;
  const narrated = spec.narrates && plan.thin && !plan.content.startsWith(NARRATIVE_HEADING);
  const content = narrated
    ? summaryText({ narrative: 'It went well.', groups: [], handles: [] }) + plan.content
    : plan.content;
  const summary: EngineMessage = {
    afterTurn: transcript.turns.length,
    kind: 'summary',
    content,
    keepsFrom: plan.keepsFrom,
  };
  return { ...transcript, messages: [...transcript.messages, summary] };
}
