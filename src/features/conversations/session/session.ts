/** An interactive conversation: holds the terminal until the person leaves. */
import { AnimusError, isAnimusError } from '../../../core/errors/errors.ts';
import { interruption } from '../../../core/errors/interruption.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import { createWake } from '../../../core/lifecycle/wake.ts';
import type { AskedView } from '../../../operations/asked.ts';
import { type Actor, readActor } from '../../../store/people/actor.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import { cancelWork } from '../../../store/work/operate.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { act, PATIENCE } from '../../../terminal/command/operation-command.ts';
import { openNews } from '../../../terminal/events/news.ts';
import { styled } from '../../../terminal/view/output.ts';
import { openConsole } from '../console/console.ts';
import { createAsking } from './asking.ts';
import { completeCommand } from './complete-command.ts';
import { type Act, editMessage, type OpenConversation, readBefore, say } from './conversation.ts';
import { createEventView } from './event-view.ts';
import { farewellOf, farewellWithoutDatabase } from './farewell.ts';
import { availableFaculties, requireKnownFaculty } from './known-faculty.ts';
import { showHistory, showSaid } from './message-view.ts';
import { openPlace, type Place } from './place.ts';
import { isSlashCommand, runSlashCommand } from './slash-commands.ts';
import { createConversationWatch } from './watch-conversation.ts';

export interface SessionOptions {
  readonly conversation: OpenConversation;
  readonly place: Place;
  readonly thoughts: boolean;
}

/** A second Ctrl-C within this time leaves. */
const TWICE_MS = 2000;
const AFTER_ERROR_MS = 1000;
/** A daemon that is restarted takes the embedded database within this time. */
const COMES_BACK_MS = 10_000;

/** Holds the conversation until the person leaves, or a signal ends the process. Closes the place. Errors: `interrupted`, and what cannot be tried again. */
export async function holdSession(invocation: Invocation, options: SessionOptions): Promise<void> {
  const { context } = invocation;
  const { conversation } = options;
  let { place } = options;
  let actor: Actor = await readActor(place.db);
  const leaving = new AbortController();
  const leave = () => leaving.abort('left');
  context.signals.drain.addEventListener('abort', leave, { once: true });
  const leaveHangUps = context.jobs?.takeHangUps();
  const settings = { thoughts: options.thoughts };
  const wake = createWake(systemClock);
  let doing: Promise<unknown> = Promise.resolve();
  let busy = 0;
  let interruptedAtMs = Number.NEGATIVE_INFINITY;
  let stopping = false;

  const console = openConsole(
    { stdin: context.stdin, stdout: context.stdout, env: context.env, signals: context.signals, stopJob },
    {
      onLine: (line) => queue(take.bind(null, line, asking.asked), line),
      onInterrupt: interrupt,
      onEnd: leave,
      onTab: (typed) => completeCommand(completionSources(), typed),
    },
  );
  const asking = createAsking(console, () => actor.decides, showPrompt);
  const watch = createConversationWatch({
    console,
    conversation,
    asking,
    view: createEventView(console, {
      thoughts: () => settings.thoughts,
      actor: () => actor.name,
      conversation: () => conversation.id,
    }),
    actor: () => actor.name,
    wake,
    busy: () => busy > 0,
  });

  const perform: Act = async (operation, input) => (await act(invocation, place.db, operation, { input })).result;

  /** One after the other. What failed is said, and the line is given back. */
  function queue(action: () => Promise<void>, line = ''): void {
    busy += 1;
    doing = doing
      .then(action)
      .catch((error: unknown) => {
        console.problem(error);
        if (isAnimusError(error, 'db.unreachable') && line !== '') console.fill(line);
      })
      .finally(() => {
        busy -= 1;
        showPrompt();
        watch.poke();
      });
  }

  /** `asked`: when the line was typed, not when its turn comes. Nobody decides what they have not seen. */
  async function take(line: string, asked: AskedView | null): Promise<void> {
    if (isSlashCommand(line)) return runSlashCommand(sessionParts(asked), line);
    if (asked !== null) return asking.decide(place.db, asked, line);
    // What was typed before the session began may end in a line end.
    const text = (line.startsWith('//') ? line.slice(1) : line).trimEnd();
    if (text === '') return;
    if (conversation.editing !== null) return replace(conversation.editing.number, text);
    const files = conversation.files.length;
    const { told, messageId, number } = await say(place.db, conversation, text);
    if (!told && watch.answering !== null) {
      conversation.queued = [...conversation.queued, { id: messageId, text }];
      console.queued(conversation.queued.map((one) => one.text));
      return;
    }
    const how = told
      ? `, passed to the running answer${files > 0 ? '; the files come with the next message' : ''}`
      : '';
    showSaid(console.output, `${number}${how}`, text);
  }

  async function replace(message: number, text: string): Promise<void> {
    const changed = await editMessage(perform, conversation, text);
    showSaid(console.output, `${changed}, in place of ${message}`, text);
  }

  function completionSources() {
    return {
      conversation,
      cwd: context.cwd,
      home: context.env['HOME'] ?? '',
      actor: actor.name,
      faculties: () => availableFaculties(invocation, place.db),
    };
  }

  function sessionParts(asked: AskedView | null) {
    return {
      db: place.db,
      act: perform,
      console,
      ...completionSources(),
      stop,
      askAgain: () => asking.again(),
      deny: (note: string) => asking.deny(place.db, asked, note),
      leave,
      requireFaculty: (name: string) => requireKnownFaculty(invocation, place.db, name),
      settings,
    };
  }

  async function stopJob(): Promise<void> {
    if (!place.own) return context.jobs?.stopJob();
    console.hint('this session is the daemon, which Ctrl-Z would stop; to run one elsewhere: animus serve');
  }

  function showPrompt(): void {
    if (asking.asked !== null) return;
    const files = conversation.files.length > 0 ? `[${conversation.files.length}] ` : '';
    console.prompt(conversation.editing === null ? `${files}> ` : `edit ${conversation.editing.number}> `);
  }

  async function stop(): Promise<void> {
    const item = watch.answering;
    if (item === null) return console.hint('no answer is being given');
    await untilUnlocked(() => cancelWork(place.db, item, 'stopped in the conversation'), PATIENCE);
  }

  function interrupt(line: string): void {
    const nowMs = systemClock.monotonicMs();
    const again = nowMs - interruptedAtMs < TWICE_MS || stopping;
    if (conversation.editing !== null) {
      conversation.editing = null;
      return showPrompt();
    }
    if (asking.leaveInput() || line !== '') return;
    interruptedAtMs = nowMs;
    if (again) return leave();
    if (watch.answering === null) {
      console.hint('Ctrl-C again leaves; so do Ctrl-D and /quit');
      return;
    }
    stopping = true;
    console.hint('stopping the answer; Ctrl-C again leaves');
    queue(async () => stop().finally(() => (stopping = false)));
  }

  /** Watches on this connection until the person leaves, or it is lost. */
  async function watchHere(): Promise<void> {
    const lost = AbortSignal.any([leaving.signal, place.lost]);
    const news = openNews(place.db, {
      onConversation: () => watch.poke(),
      onItem: () => wake.ring(),
      onPiece: (piece) => watch.piece(piece),
    });
    try {
      await news.start();
      console.status(null);
      if (!(await watch.run(place.db, news, lost))) return leave();
    } finally {
      await news.stop();
    }
    if (place.lost.aborted && !leaving.signal.aborted)
      throw new AnimusError('db.unreachable', {
        where: place.db.where,
        detail: 'the daemon of this session has ended',
        hint: '',
      });
  }

  /** An embedded database is reached in another way when another process has it. */
  async function reconnect(): Promise<void> {
    console.status('the database cannot be reached; trying again');
    await systemClock.sleep(AFTER_ERROR_MS, leaving.signal);
    if (place.db.kind === 'postgres' || leaving.signal.aborted) return;
    await place.close();
    const onProgress = (what: string | null) => console.status(what ?? 'the database cannot be reached; trying again');
    place = await openPlace(invocation, { signal: leaving.signal, onProgress, comesBackMs: COMES_BACK_MS });
    actor = await readActor(place.db);
    if (place.own) console.output.line(styled('the daemon is gone; this session runs one now', 'yellow'));
  }

  try {
    await begin();
    while (!leaving.signal.aborted) {
      try {
        await watchHere();
      } catch (error) {
        if (!isAnimusError(error) || !error.retryable) throw error;
        await reconnect();
      }
    }
    await doing;
  } finally {
    console.close();
    leaveHangUps?.();
    context.signals.drain.removeEventListener('abort', leave);
    const farewell = await farewellOf(place, conversation).catch(() => farewellWithoutDatabase(conversation));
    await place.close();
    if (farewell !== null) for (const line of farewell) invocation.output.copyable(line);
  }
  if (context.signals.drain.aborted) throw interruption('the conversation stays');

  async function begin(): Promise<void> {
    const { output } = console;
    if (place.own) console.hint('no daemon was running: this session is one until it ends');
    console.hint(`${conversation.faculty} answers. Ctrl-C stops an answer, and twice leaves.`);
    console.hint('/help lists the commands.');
    if (conversation.id === null) return;
    await readBefore(place.db, conversation);
    showHistory(output, conversation.messages, { actor: actor.name });
  }
}
