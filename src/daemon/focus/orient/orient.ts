/** Orient: builds the first message of the focus from the work item, the ledger so far, the hook's context, skills and the attachments. */
import { AnimusError } from '../../../core/errors/errors.ts';
import { estimateTokens } from '../../../core/work/tokens.ts';
import { answerTraces } from '../../../engage/context/answer-traces.ts';
import { conversationText, MAX_WORDS_BYTES, saidText, wordsThatFit } from '../../../engage/prompt/conversation.ts';
import { earlierPart } from '../../../engage/prompt/earlier-attempts.ts';
import { contextPart, failurePart, orientMessage } from '../../../engage/prompt/prompt.ts';
import { type AnswerStart, readNewestWords } from '../../../store/conversations/answer-start.ts';
import { activateSkills } from '../../../store/skills/activations.ts';
import { activationOf } from '../../../store/skills/focus-skills.ts';
import { type AttachmentMessage, addAttachment, readTranscriptToSend } from '../../../store/transcript/attachments.ts';
import { type EarlierActs, readEarlierActs } from '../../../store/transcript/earlier-foci.ts';
import { readHookFacts } from '../../../store/transcript/hook-facts.ts';
import { addMessage } from '../../../store/transcript/messages.ts';
import { ownPart, type Transcript } from '../../../store/transcript/transcript.ts';
import { span } from '../../../telemetry/spans.ts';
import type { PreparedSkill } from '../../../tools/skills/prepare-activation.ts';
import { readInstructionFiles } from '../../workspace/instruction-files.ts';
import { recordHookLedger, runHook } from '../scope/focus-hook.ts';
import { type Focus, spanKey } from '../scope/focus-scope.ts';
import { describeWorkspace } from '../scope/focus-workspace.ts';
import { attachmentMessages } from './orient-attachments.ts';
import { countActivated, skillsFor } from './orient-skills.ts';

/**
 * Orients a focus once: a resumed focus keeps its first message, which is recorded whole or not at all. Returns what is recorded of the
 * focus afterwards, with the files that are sent. Errors: `skill.unknown`.
 */
export async function orient(focus: Focus): Promise<Transcript> {
  // A focus that has just begun, and continues no other, has no record yet.
  const isNew = focus.row.resumes === 0 && !focus.answer?.before;
  const recorded = isNew ? NOTHING : await readTranscriptToSend(focus.reach.db, focus.key.focusId);
  if (ownPart(recorded).messages.some((message) => message.kind === 'orient')) return recorded;
  return span('work.orient', spanKey(focus), async () => {
    focus.run.emit({ type: 'phase', phase: 'orient' });
    // Made and recorded with the beginning of the focus.
    if (focus.run.first !== null) return { turns: [], messages: focus.run.first.messages };
    const described = await describe(focus, recorded);
    return record(focus, recorded, described);
  });
}

const NOTHING: Transcript = { turns: [], messages: [] };

/** The first message of the focus, and those of its skills and attachments. */
interface Description {
  readonly content: string;
  readonly attached: readonly AttachmentMessage[];
  readonly activated: readonly PreparedSkill[];
}

/** What the hook says, then what the record says, then both in words. */
async function describe(focus: Focus, recorded: Transcript): Promise<Description> {
  const { work, answer, row, reach } = focus;
  const found = await orientHook(focus);
  const oriented = { ...work, params: { ...work.params, ...found.params } };
  // The hook may have written to the ledger.
  const hasEarlier = row.number > 1 || row.hasLedger || focus.faculty.orient !== null;
  const earlier = hasEarlier ? await readEarlierActs(reach.db, focus.key.focusId) : NO_ACTS;
  const goesOn = answer !== null && recorded.messages.some(({ era }) => era !== undefined);
  const newest = answer === null || goesOn ? [] : await readNewestWords(reach.db, answer.message, MAX_WORDS_BYTES);
  const words = wordsThatFit(newest);
  const files = words.flatMap((one) => one.files ?? []).map(({ id }) => id);
  const attached = await attachmentMessages(focus, oriented.params, { earlier: files, ...(goesOn && { recorded }) });
  // Its skills are those of its chain, and what the model activates.
  if (goesOn) return { content: goOnText(answer, recorded, found.context, earlier), attached, activated: [] };
  const workspace = describeWorkspace(focus);
  // The hook may have written them.
  const { place } = focus.run;
  const instructions = await readInstructionFiles(place.workspace, place.fileRules, focus.faculty.instructions);
  const awareness = await reach.shared.awareness(oriented, focus.faculty);
  const { catalogue, activated } = await skillsFor(oriented, focus.faculty, focus.key.focusId, reach);
  const content = orientMessage(oriented, earlier.ledger, found.context, workspace, earlier.failure, row.budget, {
    instructions,
    awareness,
    earlier: earlierPart(earlier),
    skills: catalogue,
    conversation: answer && {
      before: conversationText(answer, words),
      // What was said between the last answer and this message is among the words.
      said: saidText(answer.said.filter(({ id }) => id === answer.message)),
    },
  });
  return { content, attached, activated };
}

const NO_ACTS: EarlierActs = {
  ledger: [],
  failure: null,
  children: [],
  decisions: [],
  changes: [],
  changed: 0,
  messages: [],
  commits: [],
};

/** Records it before it is sent. */
async function record(
  { reach, key, work }: Focus,
  recorded: Transcript,
  { content, attached, activated }: Description,
): Promise<Transcript> {
  const { db } = reach;
  const first = { afterTurn: recorded.turns.length, kind: 'orient', content } as const;
  if (attached.length === 0 && activated.length === 0) {
    const message = await addMessage(db, key, first, estimateTokens(content));
    return { ...recorded, messages: [...recorded.messages, message] };
  }
  await reach.skills.store.store(activated);
  await db.transaction(async (tx) => {
    await addMessage(tx, key, first, estimateTokens(content));
    await activateSkills(tx, key, activated.map(activationOf));
    for (const skill of activated) {
      await addMessage(tx, key, { afterTurn: 0, kind: 'skill', content: skill.content }, skill.tokens);
    }
    for (const message of attached) await addAttachment(tx, key, message);
  });
  countActivated(work.faculty, activated);
  return readTranscriptToSend(db, key.focusId);
}

/** The first message of an answer that goes on with the one before: what is left of that one's calls, and what was said since. */
function goOnText(
  { said }: AnswerStart,
  recorded: Transcript,
  orientContext: string | null,
  earlier: EarlierActs,
): string {
  const attempts = [earlierPart(earlier), failurePart(earlier.failure)];
  const parts = [answerTraces(recorded), ...attempts, contextPart(orientContext), saidText(said)];
  return parts.filter((part) => part !== null).join('\n\n');
}

interface Orientation {
  readonly context: string | null;
  readonly params: Readonly<Record<string, unknown>>;
}

async function orientHook(focus: Focus): Promise<Orientation> {
  const hook = focus.faculty.orient;
  if (!hook) return { context: null, params: {} };
  const facts = { ...(await readHookFacts(focus.reach.db, focus.work.id, 'ofAttempt')) };
  const result = await runHook(focus, 'orient', hook, facts);
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
