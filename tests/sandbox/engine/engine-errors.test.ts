import { expect, test } from 'vitest';
import { engineError } from '../../../src/sandbox/engine/engine-errors.ts';

const refusal = (message: string, statusCode = 400) => Object.assign(new Error(message), { statusCode });

test('a refusal speaks of a runtime only if one is configured, and the engine does', () => {
  const at = { where: 'the engine' } as const;
  const said = (message: string, more: object = {}) => engineError(refusal(message), { ...at, ...more });
  expect(said('unknown runtime runsc', { runtime: 'runsc' }).message).toContain('must know the runtime runsc');
  expect(said('unknown runtime runsc').message).not.toContain('must know');
  expect(said('no such device', { runtime: 'runsc' }).message).not.toContain('must know');
  expect(said('no such device')).toMatchObject({ code: 'sandbox.refused' });
});

test('a missing image, a full disk and an engine that does not answer are errors of their own', () => {
  const at = { where: 'the engine', image: 'i' } as never;
  expect(engineError(refusal('No such image: i', 404), at).code).toBe('sandbox.image_missing');
  expect(engineError(refusal('write: no space left on device', 500), at).code).toBe('sandbox.no_space');
  expect(engineError(new Error('connect ENOENT'), at).code).toBe('sandbox.unreachable');
});
