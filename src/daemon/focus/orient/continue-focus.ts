/** Where an answer in a conversation begins: it continues the focus of the answer before, or begins one of its own. */
import { isDeepStrictEqual } from 'node:util';
import { asksModel, type Faculty } from '../../../catalog/faculty/faculty.ts';
import { identityText, type ProviderIdentity } from '../../../core/config/providers/provider-identity.ts';
import { MAX_BYTES, MAX_FILES } from '../../../engage/calls/sight.ts';
import { type AnswerStart, continueFocus, readAnswerStart } from '../../../store/conversations/answer-start.ts';
import type { FocusRow } from '../../../store/transcript/focus-row.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import type { FocusReach } from '../scope/focus-scope.ts';

/** The source of items that answer messages. Anybody may write it into an item: the database says whether it is true. */
const CONVERSATION = 'chat';

/** Where the answer begins; null for work outside of conversations, which costs no statement. */
export async function answerOf(work: ClaimedWork, reach: Pick<FocusReach, 'db'>): Promise<AnswerStart | null> {
  return work.source === CONVERSATION ? readAnswerStart(reach.db, work.id) : null;
}

/**
 * Begins the focus of an answer that goes on with the one before, or resumes it. It inherits prompt, tools and model of its chain. Null: it
 * begins anew, because the faculty has changed, its work is done by a command, which sees no requests, the files of all answers are too many for
 * one request, or there is nothing to go on with.
 */
export async function continueAnswer(
  work: ClaimedWork,
  loaded: Faculty,
  answer: AnswerStart,
  place: Parameters<typeof continueFocus>[2],
  { db }: FocusReach,
): Promise<FocusRow | null> {
  const { before } = answer;
  if (before === null || !asksModel(loaded.engage) || !asksTheSame(loaded, before.faculty_snapshot)) return null;
  if (before.media.files > MAX_FILES || before.media.bytes > MAX_BYTES) return null;
  return continueFocus(db, work, place, before);
}

/** What a person changes to change the answers. Permissions, hooks, isolation and limits are those of the loaded faculty anyway. */
const ASKED = [
  'mode',
  'model',
  'fallbackModels',
  'providers',
  'systemPrompt',
  'tools',
  'maxTokens',
  'temperature',
  'thinkingBudgetTokens',
  'effort',
  'serviceTier',
  'cacheTtl',
  'stop',
  'outcomeSchema',
  'codeExecution',
] as const;

function asksTheSame(loaded: Faculty, recorded: Readonly<Record<string, unknown>>): boolean {
  const before = (recorded['engage'] ?? {}) as Readonly<Record<string, unknown>>;
  // As it would be recorded: undefined is left out.
  const now = JSON.parse(JSON.stringify(loaded.engage)) as Readonly<Record<string, unknown>>;
  // An earlier animus did not record them.
  const keys = before['providers'] === undefined ? ASKED.filter((key) => key !== 'providers') : ASKED;
  const of = (engage: typeof now, key: string) =>
    key === 'providers' ? identities(engage[key]) : (engage[key] ?? null);
  return keys.every((key) => isDeepStrictEqual(of(now, key), of(before, key)));
}

/** By model, where its words go. */
function identities(providers: unknown): Readonly<Record<string, string>> {
  const named = Object.entries((providers ?? {}) as Readonly<Record<string, ProviderIdentity>>);
  return Object.fromEntries(named.map(([model, provider]) => [model, identityText(provider)]));
}

/** The name of the directory of all answers of a conversation. */
export function conversationDirectory({ conversation }: AnswerStart): string {
  return `chat-${conversation}`;
}
