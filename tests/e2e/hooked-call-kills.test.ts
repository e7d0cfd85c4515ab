import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { LlmClient, LlmRequest } from '../../src/llm/client.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { type Tool, worldTool } from '../../src/tools/tool.ts';
import { type HookedFocus, type HookedOptions, hookedFocus } from '../daemon/hooks/hooked-focus.ts';
import { testDatabase } from '../support/database.ts';

const pg = testDatabase({ anew: true });

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "send", input = { to = "a" } }, { tool = "send", input = { to = "b" } }]
[[answer]]
turn = 2
text = "done"
`;

class Killed extends Error {}

/** The process dies at the n-th call of a function, before it or after it has committed; nothing is written after that. */
function killedAt(name: string, when: 'before' | 'after', nth: number): Database {
  let times = 0;
  let dead = false;
  return {
    ...pg.database,
    async query(sql, params) {
      const here = sql.includes(`animus.${name}(`) && ++times === nth;
      if (dead || (here && when === 'before')) {
        dead = true;
        throw new Killed();
      }
      const rows = await pg.database.query(sql, params);
      if (here) {
        dead = true;
        throw new Killed();
      }
      return rows as never;
    },
  };
}

function focusWith(hooks: HookedOptions['hooks'], idempotent = false): Promise<HookedFocus> {
  const send = (note: (line: string) => void): Tool =>
    worldTool({
      name: 'send',
      description: 'send',
      risk: 'write',
      idempotent,
      input: z.strictObject({ to: z.string() }),
      run: async ({ to }) => {
        note(`sent to ${to}`);
        return { content: `sent to ${to}` };
      },
    });
  return hookedFocus(pg.database, { script: SCRIPT, hooks, tools: (note) => [send(note)] });
}

/** Runs it on a process that is killed, then on another one; returns the requests of the second. */
async function runTwice(hooked: HookedFocus, db: Database): Promise<LlmRequest[]> {
  // One call after the other, so that a kill always comes at the same place.
  const means = { maxParallelTools: 1 };
  await expect(hooked.run({ db, journal: hooked.journal(db), ...means })).rejects.toThrow(Killed);
  const requests: LlmRequest[] = [];
  const { model } = hooked.focus.means();
  const client: LlmClient = {
    complete: (request, options) => {
      requests.push(request);
      return model.client.complete(request, options);
    },
  };
  expect(await hooked.run({ ...means, model: { ...model, client } })).toMatchObject({ kind: 'done' });
  return requests;
}

const RENAME = {
  name: 'rename',
  script: `to=$(sed 's/.*"to":"\\([^"]*\\)".*/\\1/'); echo "judged $to" >> "$SEEN"
echo "{\\"decision\\":\\"modify\\",\\"patch\\":{\\"to\\":\\"$to$to\\"}}"`,
};

describe('a process that dies', () => {
  /** What hooks and tools did in both processes. */
  test.each([
    // Nothing was recorded of the answer: the model is asked again.
    ['record_turn', 'before', 1, ['judged a', 'sent to aa', 'judged b', 'sent to bb']],
    ['record_turn', 'after', 1, ['judged a', 'sent to aa', 'judged b', 'sent to bb']],
    // Between a hook and its record, the hook runs again.
    ['record_hook_run', 'before', 1, ['judged a', 'judged a', 'sent to aa', 'judged b', 'sent to bb']],
    // Once it is recorded, it does not, and its change applies.
    ['record_hook_run', 'after', 1, ['judged a', 'sent to aa', 'judged b', 'sent to bb']],
    ['record_hook_run', 'before', 2, ['judged a', 'sent to aa', 'judged b', 'judged b', 'sent to bb']],
    ['record_hook_run', 'after', 2, ['judged a', 'sent to aa', 'judged b', 'sent to bb']],
    ['start_call', 'before', 1, ['judged a', 'sent to aa', 'judged b', 'sent to bb']],
    // The call had started and may have run: it is in doubt, and neither its hook nor the call is repeated.
    ['start_call', 'after', 1, ['judged a', 'judged b', 'sent to bb']],
  ] as const)('at %s (%s, %i)', async (name, when, nth, seen) => {
    const hooked = await focusWith({ before_tool_call: [RENAME] });
    const requests = await runTwice(hooked, killedAt(name, when, nth));
    expect(hooked.seen()).toEqual(seen);
    const runs = await hooked.runs();
    expect(runs).toMatchObject([{ decision: 'modify' }, { decision: 'modify' }]);
    const results = requests
      .at(-1)!
      .messages.at(-1)!
      .content.map((block) => JSON.stringify(block));
    const inDoubt = name === 'start_call' && when === 'after';
    expect(results[0]).toContain(inDoubt ? 'interrupted' : 'sent to aa');
    expect(results[1]).toContain('sent to bb');
  });

  test.each(['before', 'after'] as const)('%s the record of a hook that refused: the call is refused', async (when) => {
    const hooked = await focusWith({ before_tool_call: [{ script: 'echo judged >> "$SEEN"; echo no >&2; exit 2' }] });
    await runTwice(hooked, killedAt('record_hook_run', when, 1));
    expect(hooked.seen()).toHaveLength(when === 'before' ? 3 : 2);
  });

  test.each([
    ['record_hook_run', 'before', 1],
    ['record_hook_run', 'after', 1],
    ['finish_tool_calls', 'before', 1],
  ] as const)('with a result that no hook has passed, or that is not recorded (%s, %s)', async (name, when, nth) => {
    const hide = { script: `echo shown >> "$SEEN"; echo '{"decision":"modify","patch":{"content":"[hidden]"}}'` };
    const once = await focusWith({ after_tool_call: [hide] });
    await runTwice(once, killedAt(name, when, nth));
    const outputs = await pg.database.query<{ output: string }>(
      `select output from animus.tool_calls where focus_id = $1 order by position`,
      [once.focus.key.focusId],
    );
    expect(outputs[0]!.output).toContain('interrupted');
    // A call that may be repeated runs again, and its new result passes the hook again.
    const again = await focusWith({ after_tool_call: [hide] }, true);
    await runTwice(again, killedAt(name, when, nth));
    expect(again.seen().filter((line) => line === 'sent to a')).toHaveLength(2);
    const repeated = await pg.database.query(`select output from animus.tool_calls where focus_id = $1`, [
      again.focus.key.focusId,
    ]);
    expect(repeated).toEqual([{ output: '[hidden]' }, { output: '[hidden]' }]);
  });
});

test('a hook that comes before a recorded one and changes the input has that one run again', async () => {
  const second = { name: 'second', script: `echo second >> "$SEEN"; echo '{"decision":"allow"}'` };
  const hooked = await focusWith({ before_tool_call: [second] });
  await expect(hooked.run({ db: killedAt('start_call', 'before', 1), maxParallelTools: 1 })).rejects.toThrow(Killed);
  hooked.replaceHooks({ before_tool_call: [RENAME, second] });
  await hooked.run({ maxParallelTools: 1 });
  expect(hooked.seen()).toEqual(['second', 'judged a', 'second', 'sent to aa', 'judged b', 'second', 'sent to bb']);
});
