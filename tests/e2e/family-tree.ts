/** A model that splits its task among child work, as its description says, and what the tables must hold afterwards. */
import type { Queryable } from '../../src/store/sql/database.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf } from '../support/model-server/either-wire.ts';

type Json = Record<string, unknown>;

/** A faculty that may spawn work of its own. */
export const TREE_FACULTY = `
[faculty]
name = "tree"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You split tasks."
tools = []
[faculty.children]
faculties = ["tree"]
max_children = 100
max_depth = 2
`;

/** What an item is to do: spawn so many children, of which the first `inner` have `leaves` children of their own. */
export const task = (children: number, inner = 0, leaves = 0) => `<split ${children} ${inner} ${leaves}>`;

/** Spawns in its first answer, waits in its second, and ends with what it was given. The same request gets the same answer. */
export function splittingProgramme(body: Json) {
  const messages = messagesOf(body);
  const whole = JSON.stringify(messages);
  const [, children, inner, leaves] = /<split (\d+) (\d+) (\d+)>/.exec(whole)!.map(Number) as [
    number,
    number,
    number,
    number,
  ];
  if (children === 0) return { content: [text('A leaf.')] };
  const calls = messages.flatMap(({ content }) => content.filter((block) => block['type'] === 'tool_use'));
  if (calls.length === 0) {
    return {
      content: Array.from({ length: children }, (_, n) =>
        toolUse(`spawn_${n}`, 'spawn_child_work', { faculty: 'tree', description: task(n < inner ? leaves : 0) }),
      ),
    };
  }
  if (!calls.some((call) => call['name'] === 'await_child_work'))
    return { content: [toolUse('await', 'await_child_work', {})] };
  const result = messages.flatMap(({ content }) => content).find((block) => block['tool_use_id'] === 'await');
  const [, counts = ''] =
    /"text":"([^\\]*)\\n|"content":"([^\\]*)\\n/.exec(JSON.stringify(result))?.filter((part) => part !== undefined) ??
    [];
  return { content: [text(`Children: ${counts}`)] };
}

/** The state of each item of a tree, with its calls and waits, and what each root call gave. */
export async function readTree(db: Queryable, root: string) {
  return db.query<{
    depth: number;
    state: string;
    summary: string | null;
    foci: number;
    waits: number;
    spawned: number;
    children: number;
  }>(
    `select w.depth, w.state, w.outcome_summary as summary,
            (select count(*)::int from animus.foci f where f.work_item_id = w.id) as foci,
            (select count(*)::int from animus.waits a where a.work_item_id = w.id and a.kind = 'children') as waits,
            (select count(*)::int from animus.tool_calls c join animus.foci f on f.id = c.focus_id
              where f.work_item_id = w.id and c.name = 'spawn_child_work' and c.state = 'done' and not c.is_error) as spawned,
            (select count(*)::int from animus.work_items c where c.parent_id = w.id) as children
       from animus.work_items w where w.root_id = $1 order by w.depth, w.id`,
    [root],
  );
}
