import { expect, test } from 'vitest';
import { withMail } from '../../../src/engage/context/mail.ts';
import { addMessage, type EngineMessage } from '../../../src/store/transcript/messages.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus } from '../../support/focus.ts';

const pg = testDatabase();

test('new mail comes after everything that is recorded, so that a resumed focus sends the same bytes', async () => {
  const { key } = await startTestFocus(pg.database, { script: '[[answer]]\ntext = "done"' });
  const add = (kind: EngineMessage['kind'], content: string) =>
    addMessage(pg.database, key, { afterTurn: 0, kind, content }, 1);
  // The model has not answered to the first message: the attempt failed, and the next one got a notice and the message of a hook.
  await add('operator', 'one');
  await add('notice', 'failed');
  await add('hook', 'context');
  const known = await readTranscript(pg.database, key.focusId);
  await add('operator', 'two');
  const signal = new AbortController().signal;
  const told = await withMail(known, { key }, { signal }, pg.database);
  expect(told).toEqual(await readTranscript(pg.database, key.focusId));
});
