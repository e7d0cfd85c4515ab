/** Promise: a list that a person may not see is refused, never empty: an empty list of pauses reads as «nothing is paused». */
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('every route whose summary says that it is for those who may see all work, or for operators, answers 403 to others', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const restricted = API_ROUTES.filter(
    ({ method, summary }) =>
      method === 'GET' && /for (those|people) who may see all work|; for operators/.test(summary),
  );
  const paths = restricted.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x'));
  expect(paths).toEqual(
    expect.arrayContaining(['/pauses', '/schedules', '/schedules/x/runs', '/grants', '/status', '/people', '/budgets']),
  );
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await call('alice', 'GET', path);
    answers[path] = [status, status === 403 ? body.code : body];
    expect((await call('olga', 'GET', path)).status, path).not.toBe(403);
  }
  expect(answers).toEqual(Object.fromEntries(paths.map((path) => [path, [403, 'http.forbidden']])));
});
