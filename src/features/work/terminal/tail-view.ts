/** The output of `work tail`: text for people, or one JSON event per line for programs. */
import type { WorkEvent } from '../../../store/events/event.ts';
import type { FeedEntry } from '../../../store/events/live/feed.ts';
import { writePlace } from '../../../store/events/places.ts';
import type { EventScope } from '../../../store/events/read-events.ts';
import { sentEvent, sentHint } from '../../../store/events/sent-event.ts';
import type { OpenTurn } from '../../../store/views/open-turn.ts';
import { createAnswerView } from '../../../terminal/events/answer-view.ts';
import { foldOutput } from '../../../terminal/events/shown-output.ts';
import type { Output } from '../../../terminal/view/output.ts';
import { styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { duration, shortId, stateLabel } from '../../../terminal/view/quantities.ts';

export interface TailView {
  /** Takes the entries of the feed of one item, in order. */
  take(entry: FeedEntry): void;
  /** Everything that is recorded was taken. `asked`: the turn for which a model is asked now. */
  present(asked: OpenTurn | null): void;
}

/** `models`: the first model that each focus asks, by its number; for others, the one that answered is shown. */
export function createTailView(
  output: Output,
  scope: EventScope,
  models: ReadonlyMap<number, string> = new Map(),
): TailView {
  return output.json ? programView(output, scope) : peopleView(output, scope, models);
}

/** As the streams of the API send them. */
function programView(output: Output, scope: EventScope): TailView {
  return {
    take(entry) {
      if ('hint' in entry) output.event(sentHint(entry.hint));
      else output.event(sentEvent(entry.placed.event, writePlace(scope, entry.placed.after)));
    },
    present: () => {},
  };
}

function peopleView(output: Output, { id }: EventScope, models: ReadonlyMap<number, string>): TailView {
  let atMs = 0;
  /** The newest focus, until its end was told. */
  let focus: number | null = null;
  /** The turn for which the line «calling …» was printed. */
  let called = '';
  const answers = createAnswerView(output, (turn) => [timeOf(atMs), styled(`turn ${turn}  `, 'cyan')]);
  const printed = foldOutput();
  const line = (...parts: readonly Part[]) => output.line(timeOf(atMs), ...parts);

  function calling(asked: Pick<OpenTurn, 'focus' | 'turn' | 'model'>, sinceMs: number): void {
    if (called === turnKey(asked)) return;
    called = turnKey(asked);
    output.line(timeOf(sinceMs), styled(`turn ${asked.turn}  `, 'cyan'), styled(`calling ${asked.model}`, 'dim'));
  }

  function endFocus(how: string, message: string | null = null): void {
    if (focus !== null) line(styled(`focus ${how}`, 'bold'), message === null ? '' : `: ${message}`);
    focus = null;
  }

  function show(event: WorkEvent): void {
    ({ atMs } = event);
    if (event.type === 'turn') {
      answers.settle();
      calling({ ...event, model: models.get(event.focus) ?? event.model }, atMs - (event.durationMs ?? 0));
    }
    if (event.type === 'turn' || event.type === 'text') return answers.take(event);
    answers.settle();
    if (event.type === 'state' && event.state === 'running') {
      if (!event.resumed) endFocus('completed');
      ({ focus } = event);
    }
    if (event.type === 'error') return endFocus(event.endedAs, event.message);
    if (event.type === 'done' && (event.state === 'completed' || event.state === 'cancelled'))
      endFocus(event.state, event.error);
    const parts = describe(event, `${output.called} inbox ${shortId(id)}`);
    if (parts !== null) line(...parts);
    if (event.type === 'message' && event.text !== null && event.deliveredWith !== null) line(...delivered(event));
  }

  return {
    take(entry) {
      if ('placed' in entry) show(entry.placed.event as WorkEvent);
      else if (entry.hint.type === 'text' || entry.hint.type === 'withdrawn') {
        atMs = Date.now();
        // It is too late to say that the model is asked.
        if (entry.hint.type === 'text') called = turnKey(entry.hint);
        answers.take(entry.hint);
      }
      for (const { text } of printed.after(entry)) output.piece(text);
    },
    present(asked) {
      answers.settle();
      if (asked !== null) calling(asked, asked.begunAtMs);
    },
  };
}

function turnKey({ focus, turn }: Pick<OpenTurn, 'focus' | 'turn'>): string {
  return `${focus} ${turn}`;
}

function timeOf(atMs: number): Part {
  return styled(`${new Date(atMs).toISOString().slice(11, 19)}  `, 'dim');
}

type Described = Exclude<WorkEvent, { readonly type: 'turn' | 'text' | 'error' }>;

/** The line of an event, or null for one that only programs need. `inbox`: the command that shows what a person has to decide. */
function describe(event: Described, inbox: string): readonly Part[] | null {
  switch (event.type) {
    case 'state':
      if (event.state !== 'running') return null;
      return [styled(`focus ${event.focus} ${event.resumed ? 'resumed' : 'started'}`, 'bold')];
    case 'call':
      return [indentOf(event), styled(event.name, 'bold'), styled(`  ${JSON.stringify(event.input)}`, 'dim')];
    case 'observation': {
      const mark: Part = event.isError ? styled('✗', 'red') : styled('✓', 'green');
      const took = duration(event.durationMs ?? 0);
      return [indentOf(event), mark, ` ${event.name}`, styled(`  ${took}  ${event.output}`, 'dim')];
    }
    case 'waiting':
      return event.result === null ? waits(event.kind, event.deadline) : null;
    case 'approval':
      if (event.status !== 'asked') return null;
      return [
        ...waits(event.subject === 'question' ? 'human' : 'approval', event.deadline),
        `; see it and decide: ${inbox}`,
      ];
    case 'ledger':
      return ['  ', styled(`ledger ${event.seq}  ${event.entryType}  `, 'yellow'), event.content];
    case 'message':
      if (event.text === null) return delivered(event);
      return [styled(`message ${event.messageId} of ${event.author}  `, 'yellow'), event.text];
    case 'done':
      return [stateLabel(event.state)];
    case 'thought':
      return null;
    default:
      return event satisfies never;
  }
}

function waits(kind: string, deadline: string | null): readonly Part[] {
  return ['  ', styled('waiting', 'yellow'), ` ${kind}`, deadline === null ? '' : ` until ${deadline}`];
}

function delivered({ messageId, deliveredWith }: Extract<WorkEvent, { type: 'message' }>): readonly Part[] {
  return ['  ', styled(`message ${messageId} delivered with turn ${deliveredWith}`, 'dim')];
}

/** Calls that code made stand below it. */
function indentOf({ parentCallId }: { readonly parentCallId: string | null }): string {
  return parentCallId === null ? '  ' : '    ';
}
