/** Promise: a page that shows answerTexts shows the answers that the conversation shows. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnswerText, answerTexts } from '../../src/client/answer-texts.ts';
import type { ChatEvent } from '../../src/client/api/api.ts';

const event = (fields: object) => ({ work_item_id: 'w', focus: 1, ...fields }) as ChatEvent;

async function read(events: readonly ChatEvent[]): Promise<AnswerText[]> {
  async function* stream() {
    yield* events;
  }
  const all: AnswerText[] = [];
  for await (const now of answerTexts(stream())) all.push(now);
  return all;
}

/** What people do: say something after the newest message, edit one (of any branch), or delete an answer; an answer says something or ends. */
const act = fc.record({
  kind: fc.constantFrom('say', 'edit', 'delete', 'text', 'answered'),
  of: fc.nat({ max: 20 }),
});

test('of a conversation, the texts to show are those of its newest branch, after every edit and deletion', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      const messages: { id: string; after: string | null; text: string; deleted: boolean; ended: boolean }[] = [];
      const events: ChatEvent[] = [];
      const add = (id: string, fields: object) => events.push(event({ work_item_id: `w${id}`, ...fields }));
      for (const { kind, of } of acts) {
        const id = `${messages.length}`;
        const one = messages[of % Math.max(messages.length, 1)];
        if (kind === 'say' || (kind === 'edit' && one)) {
          const replaces = kind === 'edit' ? one!.id : null;
          const after = replaces === null ? (messages.at(-1)?.id ?? null) : one!.after;
          messages.push({ id, after, text: '', deleted: false, ended: false });
          add(id, { type: 'said', message_id: id, role: 'user', told: false, after, replaces, text: 'q' });
        } else if (one && kind === 'text' && !one.ended) {
          one.text = [one.text, 'more'].filter(Boolean).join('\n\n');
          add(one.id, { type: 'text', turn: 1, text: 'more' });
        } else if (one && kind === 'answered' && !one.ended) {
          one.ended = true;
          add(one.id, { type: 'answered', message_id: `a${one.id}`, text: one.text, ended_as: 'completed' });
        } else if (one?.ended && kind === 'delete') {
          one.deleted = true;
          add(one.id, { type: 'deleted', message_id: `a${one.id}` });
        }
        const shown = new Map((await read(events)).map((now) => [now.work_item_id, now.text]));
        const branch = new Set<string>();
        for (let at = messages.at(-1); at; at = messages.find((other) => other.id === at.after)) branch.add(at.id);
        for (const { id: message, text, deleted } of messages)
          expect(shown.get(`w${message}`) ?? '').toBe(branch.has(message) && !deleted ? text : '');
      }
    }),
    { numRuns: 300 },
  );
});

test('an answer whose message was edited is gone; what still comes of it is not shown', async () => {
  const said = { type: 'said', role: 'user', told: false, after: null };
  const all = await read([
    event({ ...said, message_id: '1', replaces: null }),
    event({ type: 'text', live: true, turn: 1, from: 0, text: 'Good' }),
    event({ ...said, message_id: '2', replaces: '1', work_item_id: 'w2' }),
    event({ type: 'text', live: true, turn: 1, from: 4, text: ' day' }),
    event({ type: 'answered', message_id: '3', text: 'Good day', ended_as: 'cancelled' }),
    event({ type: 'answered', message_id: '4', text: 'Yes', ended_as: 'completed', work_item_id: 'w2' }),
  ]);
  expect(all).toEqual([
    { work_item_id: 'w', text: 'Good', withdrawn: false, over: false },
    { work_item_id: 'w', text: '', withdrawn: true, over: true, gone: true },
    { work_item_id: 'w2', text: 'Yes', withdrawn: false, over: true, ended_as: 'completed', left_out: undefined },
  ]);
});

test('an answer that is gone before it says anything is over, whatever comes of it', async () => {
  const said = { type: 'said', role: 'user', told: false, after: null };
  const all = await read([
    event({ ...said, message_id: '1', replaces: null }),
    event({ ...said, message_id: '2', replaces: '1', work_item_id: 'w2' }),
    event({ type: 'text', turn: 1, text: 'Good', cut_off: true }),
    event({ type: 'answered', message_id: '3', text: 'Good', ended_as: 'cancelled' }),
  ]);
  expect(all).toEqual([{ work_item_id: 'w', text: '', withdrawn: false, over: true, gone: true }]);
});
