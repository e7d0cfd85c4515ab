import { afterEach, expect, test } from 'vitest';
import { endSession, type Me, may, session } from '../../../src/console/model/session-state.ts';

function logIn(role: Me['role'], scopes: Me['scopes']): void {
  session.value = { is: 'open', csrf: 'c', me: { role, scopes } as Me };
}
afterEach(() => endSession('never'));

test('nobody may do anything without a session', () => {
  expect(may('read')).toBe(false);
});

test('a scope is needed, and to decide the role of an operator too', () => {
  logIn('operator', ['read', 'decide']);
  expect([may('read'), may('work'), may('decide')]).toEqual([true, false, true]);
  for (const role of ['reader', 'submitter'] as const) {
    logIn(role, ['read', 'work', 'decide']);
    expect([may('read'), may('work'), may('decide')]).toEqual([true, true, false]);
  }
});
