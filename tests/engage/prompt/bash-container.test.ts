import { expect, test } from 'vitest';
import type { BashContainer } from '../../../src/catalog/faculty/faculty.ts';
import { bashContainerText } from '../../../src/engage/prompt/bash-container.ts';

test('the prompt says which caches and addresses a container has, and nothing of those that it does not have', () => {
  const container = { image: 'node:24', network: [] as readonly string[] } as BashContainer;
  const text = bashContainerText(container);
  expect(text).toContain('a container of the image node:24');
  expect(text).toContain('It has no network.');
  expect(text).not.toContain('caches');
  const more = bashContainerText({ ...container, network: ['a.example', 'b.example'] }, ['npm', 'pip']);
  expect(more).toContain('The caches of npm, pip can be written, too');
  expect(more).toContain('It reaches only a.example, b.example, by the proxy');
  expect(bashContainerText(null, ['npm'])).toBe('');
});
