import { expect, test } from 'vitest';
import { messageNumbered } from '../../../../src/features/conversations/store/message-numbers.ts';

test('what is no number is refused before the database is asked, and a number without a message by name', async () => {
  const db = { query: async () => [] };
  for (const given of ['x', '-1', '1.5', '', '1234567890'])
    await expect(messageNumbered(db, 'c', given)).rejects.toMatchObject({
      code: 'usage.invalid',
      message: expect.stringContaining(`${JSON.stringify(given)} is not the number of a message`),
    });
  await expect(messageNumbered(db, 'c', '7')).rejects.toMatchObject({
    code: 'work.not_found',
    message: expect.stringContaining('the conversation has no message 7'),
  });
});
