/** Orient: builds the first message of the focus from the work item, the ledger so far, the hook's context, skills and the attachments. */
import { AnimusError } from '../../../core/errors/errors.ts';
import { estimateTokens } from '../../../core/work/tokens.ts';
import { answerTraces } from '../../../engage/context/answer-traces.ts';
import { conversationText, MAX_WORDS_BYTES, saidText, wordsThatFit } from '../../../engage/prompt/conversation.ts';
import { earlierPart } from '../../../engage/prompt/earlier-attempts.ts';
import { contextPart, failurePart, orientMessage } from '../../../engage/prompt/prompt.ts';
import { type AnswerStart, readNewestWords } from '../../../store/conversations/answer-start.ts';
import { type AttachmentMessage, addAttachment, readTranscriptToSend } from '../../../store/transcript/attachments.ts';
import { readChildren } from '../../../store/transcript/children.ts';
import { readEarlierActs, readLastFailure } from '../../../store/transcript/earlier-foci.ts';
import { type LedgerEntry, readLedger, readLedgerKeptAfter } from '../../../store/transcript/ledger.ts';
import { addMessage } from '../../../store/transcript/messages.ts';
import { ownPart, type Transcript } from '../../../store/transcript/transcript.ts';
import { span } from '../../../telemetry/spans.ts';
import type { PreparedSkill } from '../../../tools/skills/prepare-activation.ts';
import { recordHookLedger, runHook } from '../scope/focus-hook.ts';
import { type Focus, spanKey } from '../scope/focus-scope.ts';
import { describeWorkspace } from '../scope/focus-workspace.ts';
import { attachmentMessages } from './orient-attachments.ts';
import { instructionsOf } from './orient-instructions.ts';
import { countActivated, recordSkills, skillsFor } from './orient-skills.ts';

/**
 * Orients a focus once: a resumed focus keeps its first message, which is recorded whole or not at all. Returns what is recorded of the
 * focus afterwards, with the files that are sent.
 */
export async function orient(focus: Focus): Promise<Transcript> {
  const { db } = focus.reach;
  if (focus.run.first !== null) {
    const { message, skills } = focus.run.first;
    // It took no time: the message was made to begin the focus.
    await span('work.orient', spanKey(focus), async () => focus.run.emit({ type: 'phase', phase: 'orient' }));
    return { turns: [], messages: [message, ...skills] };
  }
  // Nothing can be recorded of a focus that has just begun, and goes on with no other.
  const recorded =
    focus.row.resumes === 0 && !focus.answer?.before ? NOTHING : await readTranscriptToSend(db, focus.key.focusId);
  if (ownPart(recorded).messages.some((message) => message.kind === 'orient')) return recorded;
  const { content, attached, activated } = await span('work.orient', spanKey(focus), () => describe(focus, recorded));
  const first = { afterTurn: recorded.turns.length, kind: 'orient', content } as const;
  await focus.reach.skills.store.store(activated);
  if (attached.length === 0 && activated.length === 0) {
    const message = await addMessage(db, focus.key, first, estimateTokens(content));
    return { ...recorded, messages: [...recorded.messages, message] };
  }
  await db.transaction(async (tx) => {
    await addMessage(tx, focus.key, first, estimateTokens(content));
    await recordSkills(tx, focus.key, activated);
    for (const message of attached) await addAttachment(tx, focus.key, message);
  });
  countActivated(focus.work.faculty, activated);
  return readTranscriptToSend(db, focus.key.focusId);
}

const NOTHING: Transcript = { turns: [], messages: [] };

interface Description {
  readonly content: string;
  readonly attached: readonly AttachmentMessage[];
  readonly activated: readonly PreparedSkill[];
}

/** The first message of the focus, and those of its skills and attachments. Errors: `skill.unknown`. */
async function describe(focus: Focus, recorded: Transcript): Promise<Description> {
  const { db } = focus.reach;
  const { work, row } = focus;
  focus.run.emit({ type: 'phase', phase: 'orient' });
  const first = row.number === 1;
  const goesOn = recorded.messages.some(({ era }) => era !== undefined);
  const kept = first ? {} : { after: await readLedgerKeptAfter(db, work.id) };
  const before = row.hasLedger ? await readLedger(db, work.id, kept) : [];
  const found = await orientHook(focus, before);
  const oriented = { ...work, params: { ...work.params, ...found.params } };
  // The hook may have written to the ledger.
  const ledger = focus.faculty.orient ? await readLedger(db, work.id, kept) : before;
  const failure = first ? null : await readLastFailure(db, work.id, row.number);
  const attempts = first ? null : await earlierAttempts(focus);
  if (focus.answer !== null && goesOn) {
    // Its skills are those of its chain, and what the model activates.
    const content = goOnText(focus.answer, recorded, found.context, [attempts, failurePart(failure)]);
    return { content, attached: await attachmentMessages(focus, oriented.params, { recorded }), activated: [] };
  }
  const { catalogue, activated } = await skillsFor(oriented, focus.faculty, focus.key.focusId, focus.reach);
  const words = focus.answer && wordsThatFit(await readNewestWords(db, focus.answer.message, MAX_WORDS_BYTES));
  const surroundings = {
    // The hook may have written them.
    instructions: await instructionsOf(focus.run.place.workspace, focus.run.place.fileRules, focus.faculty),
    awareness: await focus.reach.shared.awareness(oriented, focus.faculty),
    earlier: attempts,
    skills: catalogue,
    conversation: focus.answer && {
      before: conversationText(focus.answer, words ?? []),
      // What was said between the last answer and this message is among the words.
      said: saidText(focus.answer.said.filter(({ id }) => id === focus.answer!.message)),
    },
  };
  const workspace = describeWorkspace(focus);
  const content = orientMessage(oriented, ledger, found.context, workspace, failure, row.budget, surroundings);
  const earlier = (words ?? []).flatMap(({ files }) => files ?? []).map(({ id }) => id);
  return { content, attached: await attachmentMessages(focus, oriented.params, { earlier }), activated };
}

/** What the attempts before this one did; null: nothing that is told. */
async function earlierAttempts({ reach: { db }, work, key }: Focus): Promise<string | null> {
  const acts = await readEarlierActs(db, key.focusId);
  const children = acts.children.length === 0 ? [] : await readChildren(db, work.id, acts.children);
  return earlierPart(acts, children);
}

/** The first message of an answer that goes on with the one before: what is left of that one's calls, and what was said since. */
function goOnText(
  { said }: AnswerStart,
  recorded: Transcript,
  orientContext: string | null,
  attempts: readonly (string | null)[],
): string {
  const parts = [answerTraces(recorded), ...attempts, contextPart(orientContext), saidText(said)];
  return parts.filter((part) => part !== null).join('\n\n');
}

interface Orientation {
  readonly context: string | null;
  readonly params: Readonly<Record<string, unknown>>;
}

async function orientHook(focus: Focus, ledger: readonly LedgerEntry[]): Promise<Orientation> {
  const hook = focus.faculty.orient;
  if (!hook) return { context: null, params: {} };
  const result = await runHook(focus, 'orient', hook, { ledger });
  switch (result.kind) {
    case 'proceed':
      return { context: null, params: {} };
    case 'output':
      await recordHookLedger(focus, result.output.ledger);
      return { context: result.output.context ?? null, params: result.output.params ?? {} };
    case 'blocked':
    case 'failed':
      throw result.error;
    case 'aborted':
      focus.run.control.signal.throwIfAborted();
      throw new AnimusError('process.interrupted', { command: hook.command, detail: result.reason });
    default:
      return result satisfies never;
  }
}
