/** Watches the conversation: prints what others say, and follows one answer after the other. */
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { Wake } from '../../../core/lifecycle/wake.ts';
import type { Waiting } from '../../../core/work/waiting.ts';
import { isTerminal, type WorkState } from '../../../core/work/work.ts';
import type { LivePiece } from '../../../store/events/live/live-pieces.ts';
import type { Database } from '../../../store/sql/database.ts';
import { whyWaiting } from '../../../store/views/waiting.ts';
import { createFollowedItem, type FollowedItem, type Waking } from '../../../terminal/events/followed-item.ts';
import type { News } from '../../../terminal/events/news.ts';
import { foldAnswer } from '../../../terminal/events/shown-answer.ts';
import { styled } from '../../../terminal/view/output.ts';
import { waitingCommand } from '../../../terminal/view/waiting-text.ts';
import type { Console } from '../console/console.ts';
import type { ConversationMessage } from '../store/message.ts';
import { findConversation } from '../store/read-conversations.ts';
import { readConversation } from '../store/read-messages.ts';
import type { Asking } from './asking.ts';
import type { OpenConversation } from './conversation.ts';
import type { EventView } from './event-view.ts';
import { showMessage, showSaid } from './message-view.ts';

export interface WatchParts {
  readonly console: Console;
  readonly conversation: OpenConversation;
  readonly asking: Asking;
  readonly view: EventView;
  /** The name of the person at this terminal. */
  readonly actor: () => string;
  readonly wake: Wake;
  /** True while something is being said here: what is read meanwhile may not know it yet. */
  readonly busy: () => boolean;
}

export interface ConversationWatch {
  /** Watches until the signal aborts (true), or the conversation is not there any more (false). Errors: `db.*`. */
  run(db: Database, news: News, signal: AbortSignal): Promise<boolean>;
  /** Returns whether something before the piece is missing. */
  piece(piece: LivePiece): boolean;
  /** Something was said or changed here. */
  poke(): void;
  /** The item that is answered now, or null. */
  readonly answering: string | null;
}

/** One look-up by key. */
const LOOK_EVERY_MS = 1000;
/** Notifications are asked for ten minutes; what they miss is found by looking. */
const WATCH_AGAIN_MS = 300_000;
/** What is usual needs no explanation. */
const EXPLAIN_AFTER_MS = 2500;

export function createConversationWatch({
  console,
  conversation,
  asking,
  view,
  actor,
  wake,
  busy,
}: WatchParts): ConversationWatch {
  let answer: FollowedItem | null = null;
  let seenAtMs = 0;
  let lookAtMs = 0;
  let gone = false;

  /** Reads the conversation if it has changed, and prints what is new. */
  async function look(db: Database): Promise<void> {
    if (conversation.id === null || busy() || systemClock.monotonicMs() < lookAtMs) return;
    lookAtMs = systemClock.monotonicMs() + LOOK_EVERY_MS;
    const row = await findConversation(db, conversation.id);
    if (row === null) gone = true;
    if (row === null || row.updated_at.getTime() === seenAtMs) return;
    const messages = await readConversation(db, conversation.id);
    // It was read before something was said here.
    if (busy()) return void (lookAtMs = 0);
    seenAtMs = row.updated_at.getTime();
    conversation.faculty = row.faculty;
    conversation.messages = messages;
    for (const message of messages) take(message);
  }

  function take(message: ConversationMessage): void {
    const { id, role, work_item_id: workItemId } = message;
    if (conversation.known.has(id)) return;
    // The answer that is followed here, or will be.
    if (role === 'assistant' && workItemId !== null && isAnswerHere(workItemId)) {
      conversation.known.add(id);
      answered.add(workItemId);
      return;
    }
    conversation.known.add(id);
    showMessage(console.output, message, { actor: actor() });
  }

  /** Items whose answer was printed as it came. A second answer of the same item is a message like others. */
  const answered = new Set<string>();
  const isAnswerHere = (item: string) => !answered.has(item);

  /** What was said while the answer before was given stands in front of its own answer. */
  function showQueued({ id, number }: ConversationMessage): void {
    const said = conversation.queued.find((one) => one.id === id);
    if (said === undefined) return;
    conversation.queued = conversation.queued.filter((one) => one !== said);
    console.queued(conversation.queued.map((one) => one.text));
    showSaid(console.output, String(number), said.text);
  }

  function next(): FollowedItem | null {
    const open = conversation.messages.find(
      ({ role, told, work_item_id: item }) =>
        role === 'user' && !told && item !== null && !conversation.followed.has(item),
    );
    if (open === undefined) return null;
    showQueued(open);
    const answer = foldAnswer();
    return createFollowedItem(open.work_item_id!, {
      take(entry) {
        for (const shown of answer.take(entry)) view.show(shown);
      },
      present: (state, db) => present(open, state, db),
    });
  }

  let explainAtMs = 0;
  let explained = '';
  async function present(
    { work_item_id: workItemId }: ConversationMessage,
    state: WorkState,
    db: Database,
  ): Promise<void> {
    await look(db);
    view.refresh();
    if (state === 'waiting') await asking.look(db, workItemId!);
    else asking.over();
    if (isTerminal(state)) return;
    const nowMs = systemClock.monotonicMs();
    if (state === 'running') [explained, explainAtMs] = ['', nowMs + EXPLAIN_AFTER_MS];
    else if (nowMs >= explainAtMs) {
      explainAtMs = nowMs + EXPLAIN_AFTER_MS;
      explained = explanation(
        await whyWaiting(db, workItemId!),
        { id: workItemId!, faculty: conversation.faculty },
        console.output.called,
      );
    }
    const what = asking.asked !== null ? 'the answer waits for you' : explained || usual(state, conversation.faculty);
    console.status(`${what} · Ctrl-C stops it`);
  }

  async function followOne(one: FollowedItem, db: Database, waking: Waking): Promise<void> {
    [explained, explainAtMs] = ['', systemClock.monotonicMs() + EXPLAIN_AFTER_MS];
    if (!(await one.follow(db, waking))) return;
    conversation.followed.add(one.workItemId);
    answer = null;
    asking.over();
    view.end();
    console.status(null);
    [lookAtMs, seenAtMs] = [0, 0];
  }

  return {
    get answering() {
      return answer?.workItemId ?? null;
    },
    piece: (piece) => answer?.piece(piece) ?? false,
    poke() {
      lookAtMs = 0;
      wake.ring();
    },
    async run(db, news, signal) {
      let watchAtMs = 0;
      while (!signal.aborted && !gone) {
        if (conversation.id !== null && systemClock.monotonicMs() >= watchAtMs) {
          await news.watchConversation(conversation.id);
          watchAtMs = systemClock.monotonicMs() + WATCH_AGAIN_MS;
        }
        await look(db);
        answer ??= next();
        if (answer !== null) await followOne(answer, db, { news, wake, signal });
        else await wake.wait(LOOK_EVERY_MS, signal);
        if (gone) console.output.line(styled('the conversation was deleted', 'yellow'));
      }
      return !gone;
    },
  };
}

/** Why the answer waits, and the command that helps; empty: it does not. */
function explanation(
  waiting: Waiting | null,
  answer: { readonly id: string; readonly faculty: string },
  animus: string,
): string {
  if (waiting === null) return '';
  const command = waitingCommand(waiting, answer);
  return command === null ? waiting.why : `${waiting.why}; see: ${animus} ${command}`;
}

function usual(state: WorkState, faculty: string): string {
  return state === 'running' || state === 'claimed' ? `${faculty} is answering` : `the answer is ${state}`;
}
