import { expect, test } from 'vitest';
import { createSight } from '../../../src/engage/calls/sight.ts';
import { testDatabase } from '../../support/database.ts';
import { testTool } from '../../support/focus.ts';
import { png } from '../../support/media-files.ts';
import { hookedFocus } from './hooked-focus.ts';
import { MODIFY } from './mail-focus.ts';

const pg = testDatabase();

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "shoot", input = {} }]
[[answer]]
turn = 2
text = "done"
`;
const EYES = { unseen: () => ({ by: [], byAll: false }), tokens: () => 10 };

test.each([
  ['lets a result pass', 'exit 0', 1],
  ['changes it', MODIFY({ content: 'a picture' }), 0],
  ['names files of its own', MODIFY({ details: { shown: [{ artifact: 'x' }] } }), 0],
  ['withholds it', 'exit 2', 0],
])('a hook that %s keeps or removes its pictures', async (_what, script, shown) => {
  const shoot = testTool('shoot', async () => ({
    content: 'taken',
    files: [{ name: 'a.png', mediaType: 'image/png', bytes: png() }],
  }));
  const hooked = await hookedFocus(pg.database, {
    script: SCRIPT,
    hooks: { after_tool_call: [{ script }] },
    tools: () => [shoot],
  });
  const sight = createSight(EYES, { files: 20, bytes: 1_000_000, tokens: 1000 });
  expect(await hooked.run({ sight })).toMatchObject({ kind: 'done' });
  const [call] = await pg.database.query<{ details: { shown?: object[] } | null }>(
    'select details from animus.tool_calls where focus_id = $1',
    [hooked.focus.key.focusId],
  );
  expect(call!.details?.shown ?? []).toHaveLength(shown);
  const files = await pg.database.query('select from animus.artifacts where work_item_id = $1', [
    hooked.focus.key.workItemId,
  ]);
  expect(files).toHaveLength(shown);
});
