/** Promise: what a reader saw live of an answer, followed to its end, is what a fresh reader is given; what was withdrawn was withdrawn visibly. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnswerText, answerTexts } from '../../src/client/answer-texts.ts';
import type { WorkEvent as ClientEvent } from '../../src/client/api/api.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { eventFrame, type Frame } from '../../src/http/events/frame.ts';
import { WatchedItem } from '../../src/http/events/watched-item.ts';
import type { EventBody, WorkEvent } from '../../src/store/events/event.ts';
import type { AnyPage } from '../../src/store/events/places.ts';
import { BEGINNING } from '../../src/store/events/position.ts';

/** What happens to an answer: the model says something, a piece is lost on its way, the answer begins again (a fallback, moderation), and what ends an attempt. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('say' as const), text: fc.string({ minLength: 1, maxLength: 8 }) }),
  },
  fc.record({ kind: fc.constant('lose' as const), text: fc.string({ minLength: 1, maxLength: 8 }) }),
  fc.record({ kind: fc.constantFrom('again', 'restart', 'record', 'resume', 'fail', 'late') }),
);
type Step = { readonly kind: string; readonly text?: string };

const nothing = { stopReason: null, inputTokens: null, outputTokens: null, costUsd: null, durationMs: null };
const over = { summary: null, error: null, mergedInto: null, costUsd: null, unpricedCalls: 0 };

/** An item, its daemon, and the server that its readers ask. */
function scene() {
  const item = new WatchedItem({ kind: 'work', id: 'w' }, systemClock);
  const recorded: Frame[] = [];
  let now = { focus: 1, turn: 1, text: '' };
  /** Of the turns of this focus. */
  let said: string[] = [];
  let state = 'running';
  const record = (...bodies: EventBody[]) => {
    const events = bodies.map((body): WorkEvent => ({ ...body, workItemId: 'w', atMs: 0 }));
    recorded.push(...events.map((event) => eventFrame(event, 'x')));
    item.take({
      position: BEGINNING,
      more: false,
      items: [{ id: 'w', state, waiting: null }],
      events: events.map((event) => ({ event, step: { part: 'mark', number: 1 }, after: BEGINNING })),
    } as unknown as AnyPage);
  };
  const piece = (from: number, text: string, earlier = false) =>
    item.piece('w', { focus: now.focus, turn: now.turn, from, text, ...(earlier && { earlier }) });
  const running = (resumed: boolean): EventBody => ({
    type: 'state',
    state: 'running',
    focus: now.focus,
    resumed,
    by: null,
    note: null,
  });
  const say = (text: string, lost: boolean) => {
    const from = now.text.length;
    now.text += text;
    // The daemon sends all again when it is asked.
    if (!lost && piece(from, text)) piece(0, now.text, true);
  };
  record(running(false));
  function run({ kind, text = '' }: Step): void {
    const { focus, turn } = now;
    if (kind === 'say' || kind === 'lose') say(text, kind === 'lose');
    else if (kind === 'again') piece(0, now.text, true);
    else if (kind === 'restart') now = { ...now, text: '' };
    else if (kind === 'late' && turn > 1) item.piece('w', { focus, turn: turn - 1, from: 0, text: 'late' });
    else if (kind === 'record') {
      record({ type: 'turn', focus, turn, model: 'm', ...nothing }, { type: 'text', focus, turn, text: now.text });
      said.push(now.text);
      now = { ...now, turn: turn + 1, text: '' };
    } else if (kind === 'resume') {
      now = { ...now, text: '' };
      record(running(true));
    } else if (kind === 'fail') {
      record({ type: 'error', focus, endedAs: 'lost', message: null });
      now = { focus: focus + 1, turn: 1, text: '' };
      said = [];
      record(running(false));
    }
  }
  /** Returns the text that stays: all but the last turn had calls. */
  function end(how: string): string {
    if (how === 'completed') run({ kind: 'record' });
    const { focus, turn, text } = now;
    const cut: EventBody = { type: 'text', focus, turn, text, cutOff: true };
    state = how;
    const isCut = how === 'cancelled' && text !== '';
    const stays =
      how === 'completed' ? said.at(-1)! : [...said, ...(isCut ? [text] : [])].filter((one) => one !== '').join('\n\n');
    record(...(isCut ? [cut] : []), {
      type: 'done',
      state: how as 'dead',
      ...(how === 'completed' && { text: stays }),
      ...over,
    });
    return stays;
  }
  return { item, recorded, run, end };
}

async function read(frames: readonly Frame[]): Promise<AnswerText[]> {
  const all: AnswerText[] = [];
  async function* events() {
    for (const { json } of frames) yield JSON.parse(json) as ClientEvent;
  }
  for await (const text of answerTexts(events())) all.push(text);
  return all;
}
const lastOf = (all: readonly AnswerText[]) => all.at(-1)?.text ?? '';

test('a reader that follows to the end has what a fresh reader is given, at every moment and after every fault', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.constantFrom('completed', 'dead', 'cancelled'),
      async (steps, how) => {
        const { item, recorded, run, end } = scene();
        for (const one of steps) {
          run(one);
          const live = lastOf(await read(item.ring.from(0)!.frames));
          expect(live).toBe(lastOf(await read([...recorded, ...item.present()])));
        }
        const stays = end(how);
        for (const frames of [item.ring.from(0)!.frames, recorded])
          expect((await read(frames)).at(-1)).toMatchObject({ text: stays, over: true, ended_as: how });
      },
    ),
    { numRuns: 300 },
  );
});

test('a text that gets shorter without a record says that something was withdrawn', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { item, run } = scene();
      for (const one of steps.filter(({ kind }) => kind !== 'record')) run(one);
      const all = await read(item.ring.from(0)!.frames);
      for (const [n, { text, withdrawn }] of all.entries())
        expect(withdrawn || text.startsWith(n === 0 ? '' : all[n - 1]!.text)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('of a conversation, an answer that ended is over, with the text that stays', async () => {
  const frame = (fields: object) => ({ json: JSON.stringify({ work_item_id: 'w', ...fields }) }) as Frame;
  const all = await read([
    frame({ type: 'text', live: true, focus: 1, turn: 1, from: 0, text: 'Hel' }),
    frame({ type: 'text', live: true, focus: 1, turn: 1, from: 3, text: 'lo' }),
    frame({ type: 'turn', focus: 1, turn: 1 }),
    frame({ type: 'text', focus: 1, turn: 1, text: 'Hello.' }),
    frame({ type: 'answered', text: 'Hello.', ended_as: 'completed' }),
  ]);
  expect(all.map(({ text, over: isOver }) => [text, isOver])).toEqual([
    ['Hel', false],
    ['Hello', false],
    ['Hello.', false],
    ['Hello.', true],
  ]);
});

test('a piece of the next turn, which comes before the record of this one, takes nothing away', async () => {
  const frame = (fields: object) => ({ json: JSON.stringify({ work_item_id: 'w', focus: 1, ...fields }) }) as Frame;
  const all = await read([
    frame({ type: 'text', live: true, turn: 1, from: 0, text: 'I look.' }),
    frame({ type: 'text', live: true, turn: 2, from: 0, text: 'It ' }),
    frame({ type: 'turn', turn: 1 }),
    frame({ type: 'text', turn: 1, text: 'I look.' }),
    frame({ type: 'text', live: true, turn: 2, from: 3, text: 'is there.' }),
  ]);
  expect(all.map(({ text, withdrawn }) => [text, withdrawn])).toEqual([
    ['I look.', false],
    ['I look.\n\nIt ', false],
    ['I look.\n\nIt is there.', false],
  ]);
});

test('an answer that began again while its reader was away, and one whose words beside calls are not part of it, are withdrawn', async () => {
  const frame = (fields: object) => ({ json: JSON.stringify({ work_item_id: 'w', focus: 1, ...fields }) }) as Frame;
  const all = await read([
    frame({ type: 'text', live: true, turn: 1, from: 0, text: 'Good morning' }),
    frame({ type: 'text', live: true, turn: 1, from: 0, text: 'Good day' }),
    frame({ type: 'answered', text: 'Hello', ended_as: 'completed' }),
  ]);
  expect(all.map(({ text, withdrawn }) => [text, withdrawn])).toEqual([
    ['Good morning', false],
    ['Good day', true],
    ['Hello', true],
  ]);
});

const event = (fields: object) => ({ json: JSON.stringify({ work_item_id: 'w', focus: 1, ...fields }) }) as Frame;

test('of an item of its own stream, what was said beside a call is void at the end', async () => {
  const all = await read([
    event({ type: 'text', turn: 1, text: 'I look.' }),
    event({ type: 'text', turn: 2, text: 'It is there.' }),
    event({ type: 'done', state: 'completed', text: 'It is there.' }),
    event({ type: 'message', text: 'a note' }),
  ]);
  expect(all.map(({ text, withdrawn, over: isOver }) => [text, withdrawn, isOver])).toEqual([
    ['I look.', false, false],
    ['I look.\n\nIt is there.', false, false],
    ['It is there.', true, true],
  ]);
});

test('what a focus has said is void when the next one begins, also if its end was not seen', async () => {
  const all = await read([
    event({ type: 'text', live: true, turn: 1, from: 0, text: 'Good morning' }),
    event({ type: 'state', state: 'running', focus: 2, resumed: false }),
  ]);
  expect(all.map(({ text, withdrawn }) => [text, withdrawn])).toEqual([
    ['Good morning', false],
    ['', true],
  ]);
});

test('what stays of work that failed is over until its retry says something; in a conversation, its end is said once', async () => {
  const all = await read([
    event({ type: 'turn', turn: 1 }),
    event({ type: 'text', turn: 1, text: 'It is there.' }),
    event({ type: 'text', live: true, turn: 2, from: 0, text: 'Or' }),
    event({ type: 'done', state: 'dead' }),
    event({ type: 'answered', text: 'It is there.', ended_as: 'dead' }),
    event({ type: 'state', state: 'running', focus: 2, resumed: false }),
    event({ type: 'text', focus: 2, turn: 1, text: 'It is not.' }),
  ]);
  expect(all.map(({ text, withdrawn, over: isOver }) => [text, withdrawn, isOver])).toEqual([
    ['It is there.', false, false],
    ['It is there.\n\nOr', false, false],
    ['It is there.', true, true],
    ['It is not.', true, false],
  ]);
});
