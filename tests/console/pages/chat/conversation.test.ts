import { expect, test } from 'vitest';
import type { ChatEvent, ChatMessage } from '../../../../src/client/client.ts';
import { branchesOf } from '../../../../src/console/pages/chat/branches.ts';
import {
  type Conversation,
  EMPTY,
  entriesOf,
  openAnswers,
  takeChatEvent,
  withNewest,
  withOlder,
} from '../../../../src/console/pages/chat/conversation.ts';

let number = 0;
const said = (id: string, more: object = {}) =>
  ({
    type: 'said',
    id: `e${id}`,
    message_id: id,
    number: ++number,
    role: 'user',
    author: 'person:olga',
    text: id,
    said_at: '',
    after: null,
    replaces: null,
    told: false,
    attachments: [],
    work_item_id: `w${id}`,
    ...more,
  }) as unknown as ChatEvent;
const answered = (id: string, item: string, more: object = {}) =>
  said(id, {
    type: 'answered',
    role: 'assistant',
    author: 'faculty:x',
    work_item_id: item,
    ended_as: 'completed',
    ...more,
  });
const running = (item: string) =>
  ({
    type: 'state',
    id: 's',
    at: '',
    work_item_id: item,
    state: 'running',
    focus: 1,
    resumed: false,
  }) as unknown as ChatEvent;
const other = (type: string, more: object) => ({ type, id: 'o', at: '', ...more }) as unknown as ChatEvent;

const after = (...events: readonly ChatEvent[]) => events.reduce<Conversation>(takeChatEvent, EMPTY);
const shown = (now: Conversation) =>
  entriesOf(now).map((entry) => ('message' in entry ? entry.message.id : `(${entry.answer.item})`));

test('an answer stands after its message, while it is given and afterwards', () => {
  const begun = after(said('1'), said('2', { after: '1' }), running('w1'));
  expect(shown(begun)).toEqual(['1', '(w1)', '2']);
  expect(openAnswers(begun).map(({ item }) => item)).toEqual(['w1']);
  const ended = takeChatEvent(begun, answered('3', 'w1'));
  expect(shown(ended)).toEqual(['1', '3', '2']);
  expect(openAnswers(ended)).toEqual([]);
});

test('what is told to an answer comes before it ends', () => {
  const now = after(said('1'), running('w1'), said('2', { told: true, work_item_id: 'w1' }));
  expect(shown(now)).toEqual(['1', '2', '(w1)']);
  expect(shown(takeChatEvent(now, answered('3', 'w1')))).toEqual(['1', '2', '3']);
});

test('an edit begins a branch: what followed is gone', () => {
  const now = after(
    said('1'),
    answered('2', 'w1'),
    said('3', { after: '1' }),
    answered('4', 'w3'),
    said('5', { after: '1', replaces: '3' }),
  );
  expect(shown(now)).toEqual(['1', '2', '5']);
  // The old answer may end later, on its branch.
  expect(shown(takeChatEvent(now, answered('6', 'w3')))).toEqual(['1', '2', '5']);
});

test('an edit before what is known asks for the messages anew', () => {
  const now = after(said('3'), said('9', { replaces: '1' }));
  expect(now.isStale).toBe(true);
});

test('deleted messages are gone, and a retried answer begins again', () => {
  const now = after(said('1'), answered('2', 'w1'));
  expect(shown(takeChatEvent(now, other('deleted', { message_id: '2' })))).toEqual(['1']);
  const retried = takeChatEvent(now, other('retried', { message_id: '1', work_item_id: 'w1' }));
  expect(shown(retried)).toEqual(['1', '(w1)']);
  expect(shown(takeChatEvent(retried, answered('3', 'w1', { replaces: '2' })))).toEqual(['1', '3']);
  expect(shown(takeChatEvent(retried, answered('3', 'w1', { text: null })))).toEqual(['1', '(w1)']);
});

test('what is in a page and in the stream is shown once', () => {
  const row = (id: string, role: string, item: string) =>
    ({ id, role, content: id, work_item_id: item, attachments: null }) as unknown as ChatMessage;
  const page = withNewest(EMPTY, [row('4', 'assistant', 'w3'), row('3', 'user', 'w3')], 'more');
  expect(shown(after(said('3')) && takeChatEvent(page, said('3', { work_item_id: 'w3' })))).toEqual(['3', '4']);
  const older = withOlder(page, [row('3', 'user', 'w3'), row('2', 'assistant', 'w1'), row('1', 'user', 'w1')], null);
  expect(shown(older)).toEqual(['1', '2', '3', '4']);
  expect(older.older).toBeNull();
});

test('finds the versions of a message, and what followed each', () => {
  const branches = branchesOf([
    said('1'),
    answered('2', 'w1'),
    said('3', { after: '1' }),
    said('4', { told: true, work_item_id: 'w3', after: '1' }),
    answered('5', 'w3'),
    said('6', { after: '3' }),
    said('7', { after: '1', replaces: '3' }),
    answered('8', 'w7'),
    said('9', { after: '1', replaces: '7' }),
    other('deleted', { message_id: '9' }),
    said('x', { text: null }),
  ]);
  expect(branches.versionsOf('7')).toEqual(['3', '7']);
  expect(branches.versionsOf('1')).toEqual(['1']);
  expect(branches.branchOf('3').map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(branches.branchOf('7').map(({ id }) => id)).toEqual(['1', '2', '7', '8']);
  expect(branches.branchOf('1').map(({ id }) => id)).toEqual(['1', '2', '7', '8']);
  expect(branches.versionsOf('unknown')).toEqual([]);
});
