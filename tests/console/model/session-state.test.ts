import { afterEach, expect, test } from 'vitest';
import {
  endSession,
  type Me,
  may,
  mayChangeOf,
  mayOperate,
  refuseLogin,
  seesAll,
  session,
  untilLoggedIn,
  whoseMe,
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

test('an expired session keeps its person’s page, also over a login that fails', () => {
  logIn('operator', ['read', 'work', 'decide']);
  endSession('expired');
  refuseLogin('No.');
  expect(session.value).toMatchObject({ is: 'none', csrf: null, ended: 'expired', problem: 'No.' });
  expect([whoseMe()?.actor, mayOperate(), seesAll()]).toEqual(['person:olga', true, true]);
});

test('who has left, or never was there, has no page', () => {
  logIn('operator', ['read']);
  endSession('left');
  expect([whoseMe(), may('read')]).toEqual([null, false]);
  session.value = { is: 'unknown', csrf: null };
  refuseLogin('No.');
  expect(session.value).toMatchObject({ is: 'none', ended: 'never', problem: 'No.' });
  expect(whoseMe()).toBeNull();
});

test('what the kept page reads waits for the login, or until nobody wants it', async () => {
  await untilLoggedIn(undefined);
  logIn('reader', ['read']);
  endSession('expired');
  const settled: string[] = [];
  const stop = new AbortController();
  const reads = [
    untilLoggedIn(undefined).then(() => settled.push('read')),
    untilLoggedIn(stop.signal).then(() => settled.push('aborted')),
  ];
  refuseLogin('No.');
  await Promise.resolve();
  expect(settled).toEqual([]);
  stop.abort();
  await reads[1];
  expect(settled).toEqual(['aborted']);
  logIn('reader', ['read']);
  await reads[0];
  expect(settled).toEqual(['aborted', 'read']);
  await untilLoggedIn(undefined);
});
