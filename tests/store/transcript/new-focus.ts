/** A small focus: what it begins with, and the answer that ends it. */
import { randomUUID } from 'node:crypto';
import type { ModelAnswer } from '../../../src/core/work/conversation.ts';
import type { NewFocus } from '../../../src/store/transcript/begin-foci.ts';
import type { FocusKey } from '../../../src/store/transcript/focus-row.ts';
import { encodeSettings } from '../../../src/store/transcript/focus-settings.ts';
import type { ClaimedWork } from '../../../src/store/work/work.ts';

/** Where its daemon would run it. */
export const PLACE = { host: 'test', directoryRoot: '/nowhere' };
/** What it starts with. */
export const SETTINGS = { facultySnapshot: { name: 'x' }, systemPrompt: 'You test.', tools: [] };
/** The answer that ends its work. */
export const ANSWER: ModelAnswer = {
  provider: 'p',
  model: 'm',
  responseId: 'r1',
  content: [{ type: 'text', text: 'Done: "Zoë" \\ 漢字' }],
  stopReason: 'end_turn',
  rawStopReason: 'stop',
  cutToolCalls: [],
  usage: { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  timeToFirstTokenMs: 12,
  durationMs: 34,
};

/** A focus of claimed work that is about to begin with its first turn. */
export function newFocus(work: ClaimedWork, of: Partial<NewFocus> = {}): NewFocus {
  const settings = encodeSettings(SETTINGS);
  const message = { content: 'Do it, 漢字 "\\.', tokens: 5 };
  const focusId = of.focusId ?? randomUUID();
  return {
    workItemId: work.id,
    leaseToken: work.leaseToken,
    focusId,
    settings,
    ...message,
    turn: true,
    reservedUsd: 0.25,
    request: focusId,
    ...of,
  };
}

/** What identifies the focus and its lease. */
export function keyOf({ workItemId, leaseToken, focusId }: NewFocus): FocusKey {
  return { workItemId, leaseToken, focusId };
}
