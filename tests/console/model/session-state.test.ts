import { afterEach, expect, test } from 'vitest';
import {
  endSession,
  type Me,
  may,
  mayChangeOf,
  mayOperate,
  seesAll,
  session,
} from '../../../src/console/model/session-state.ts';

const logIn = (role: Me['role'], scopes: Me['scopes']) => {
  session.value = {
    is: 'open',
    csrf: 'c',
    me: { person: 'olga', actor: 'person:olga', role, scopes, expires_at: null },
  };
};

afterEach(() => endSession('left'));

test('nobody may anything', () => {
  endSession('never');
  expect([may('read'), seesAll(), mayOperate(), mayChangeOf(null)]).toEqual([false, false, false, false]);
});

test('operators need the scope, too', () => {
  logIn('operator', ['read', 'work']);
  expect([seesAll(), mayOperate(), mayChangeOf('person:ben')]).toEqual([true, false, false]);
  logIn('operator', ['read', 'work', 'decide']);
  expect([mayOperate(), mayChangeOf('person:ben'), mayChangeOf(null)]).toEqual([true, true, true]);
});

test('others change what is theirs, and submitters see nothing else', () => {
  logIn('submitter', ['read', 'work', 'decide']);
  expect([seesAll(), mayOperate(), mayChangeOf('person:olga'), mayChangeOf(null)]).toEqual([false, false, true, false]);
  logIn('reader', ['read']);
  expect([seesAll(), mayChangeOf('person:olga')]).toEqual([true, false]);
});
