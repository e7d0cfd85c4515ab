import { expect, test } from 'vitest';
import { playedConsole } from '../played-console.ts';

test('a text to be changed stands in front of what is typed, on rows of its own only if there is both', () => {
  const { console } = playedConsole();
  console.fill('an input');
  expect(console.takeLine()).toBe('an input');
  console.fill('typed');
  console.fill('');
  expect(console.takeLine()).toBe('typed');
  console.fill('typed');
  console.fill('an input');
  expect(console.takeLine()).toBe('an input\ntyped');
});
