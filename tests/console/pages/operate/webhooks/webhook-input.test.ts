import { expect, test } from 'vitest';
import { namesOf } from '../../../../../src/console/pages/operate/webhooks/webhook-input.ts';

test('names may be separated by commas, spaces and lines, and count once', () => {
  expect(namesOf(' writer, engineer\nwriter ,')).toEqual(['writer', 'engineer']);
  expect(namesOf(' ')).toEqual([]);
});
