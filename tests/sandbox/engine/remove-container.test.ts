import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { removeContainer } from '../../../src/sandbox/engine/run-container.ts';

/** An engine that answers each removal and each look with these statuses, the last one again and again; 200: it does it, or still has the container. */
function engineWith(removals: readonly number[], looks: readonly number[]) {
  const asked: string[] = [];
  const answer = (what: string, statuses: readonly number[]) => async () => {
    const count = asked.filter((each) => each === what).length;
    asked.push(what);
    const statusCode = statuses[Math.min(count, statuses.length - 1)];
    if (statusCode !== 200) throw Object.assign(new Error(`status ${statusCode}`), { statusCode });
  };
  const container = { remove: answer('remove', removals), inspect: answer('inspect', looks) };
  return { engine: { docker: { getContainer: () => container } as unknown as Docker, patienceMs: 1000 }, asked };
}

test.each<[string, number[], number[], string[]]>([
  ['is gone at once', [200], [404], ['remove', 'inspect']],
  ['is gone after a while', [200], [200, 404], ['remove', 'inspect', 'remove', 'inspect']],
  ['is removed by somebody else', [409], [200, 404], ['remove', 'inspect', 'remove', 'inspect']],
  ['was gone before', [404], [200], ['remove']],
])('a container that %s', async (_what, removals, looks, expected) => {
  const { engine, asked } = engineWith(removals, looks);
  await removeContainer(engine as never, 'c');
  expect(asked).toEqual(expected);
});

test('an engine that does not remove it is an error', async () => {
  await expect(removeContainer(engineWith([500], [200]).engine as never, 'c')).rejects.toThrow('status 500');
});
