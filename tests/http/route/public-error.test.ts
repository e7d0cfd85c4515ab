import { expect, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { publicError } from '../../../src/http/route/public-error.ts';

const shown = (error: unknown) => {
  const { shown, hidden } = publicError(error, 'request-1');
  return { code: shown.code, message: shown.message, hidden };
};

test('an error that a client has caused is shown as it is', () => {
  const error = new AnimusError('work.state', { detail: 'it has ended' });
  expect(publicError(error, 'request-1')).toEqual({ shown: error, hidden: false });
});

test('what is wrong with the server is for its log: the client gets the id of the request', () => {
  for (const error of [new Error('secret'), new AnimusError('config.syntax', { file: '/secret', detail: '' })]) {
    const { code, message, hidden } = shown(error);
    expect({ code, hidden }).toEqual({ code: 'internal.bug', hidden: true });
    expect(message).toContain('request-1');
    expect(message).not.toContain('secret');
  }
});

test('the address of a database that does not answer stays in the log', () => {
  const error = new AnimusError('db.unreachable', { where: 'secret:5432', detail: 'refused' });
  const { code, message, hidden } = shown(error);
  expect({ code, hidden }).toEqual({ code: 'http.no_database', hidden: true });
  expect(message).not.toContain('secret');
});

test('a missing right is shown in the words of the database, without its address', () => {
  const cause = new Error('alice may not see the work of others');
  const error = new AnimusError('db.forbidden', { where: 'secret:5432', detail: cause.message }, { cause });
  const { code, message, hidden } = shown(error);
  expect({ code, hidden }).toEqual({ code: 'http.forbidden', hidden: false });
  expect(message).toMatch(/^alice may not see the work of others; /);
});
