/** A conversation of people with a faculty: messages, an edit and a retry, which make branches. */
import { completeWork } from '../../../store/work/work.ts';
import { type DemoFaculty, PEOPLE, type PersonKey } from './cast.ts';
import { type DemoCall, take, turn } from './item-life.ts';
import { as, type Stage, type Story } from './stage.ts';
import { work } from './stories.ts';

export interface Talk {
  readonly faculty: DemoFaculty;
  readonly title: string;
  readonly owner: PersonKey;
  readonly guest?: PersonKey;
  readonly lines: readonly Line[];
}

/** What a person does, and what is answered. */
export interface Line {
  readonly says: string;
  readonly answer: string;
  readonly calls?: readonly DemoCall[];
  /** In place of the message before: an edit makes a branch, a retry asks for another answer. */
  readonly in?: 'edit' | 'retry';
}

export async function* chatStory(stage: Stage, { faculty, title, owner, guest, lines }: Talk): Story {
  const { tx, clock, random } = stage;
  const id = await as(stage, owner, () => begin(stage, faculty, title));
  if (guest) {
    await as(stage, owner, () =>
      tx.query('select animus.set_participant($1, $2)', [id, `person:${PEOPLE[guest].name}`]),
    );
  }
  // The person who runs the demo then sees it in their own list.
  await as(stage, owner, () => tx.query('select animus.set_participant($1, session_user::text)', [id]));
  let message = '';
  for (const line of lines) {
    const said = await as(stage, owner, () => say(stage, id, message, line));
    message = said.message;
    clock.atMs += random.between(200, 2500);
    const life = await take(stage, said.item, faculty);
    if (line.calls) await turn(stage, life, { says: '', calls: line.calls });
    await turn(stage, life, { says: line.answer });
    await completeWork(tx, work(life), { text: line.answer }, line.answer);
    yield clock.atMs + random.between(20_000, 400_000);
  }
}

async function begin({ tx }: Stage, faculty: DemoFaculty, title: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `select animus.start_conversation(w, $1, null, $2) as id from animus.create_workspace('fjordline') w`,
    [faculty.name, title],
  );
  return row!.id;
}

async function say({ tx }: Stage, id: string, before: string, line: Line) {
  const acts = {
    say: [
      `select message_id::text as message, work_item_id as item from animus.say_in_conversation($1, $2)`,
      [id, line.says],
    ],
    edit: [
      `select message_id::text as message, work_item_id as item from animus.edit_message($1, $2)`,
      [before, line.says],
    ],
    retry: [`select message_id::text as message, work_item_id as item from animus.retry_message($1)`, [before]],
  } as const;
  const [sql, params] = acts[line.in ?? 'say'];
  const [said] = await tx.query<{ message: string; item: string }>(sql, params);
  return said!;
}
