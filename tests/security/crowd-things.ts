/** People of two teams, each with things of its own in every table that the API reads, all of which name whose they are. */
import type { Database } from '../../src/store/sql/database.ts';
import { fillHistory } from '../store/work/fill-history.ts';
import type { TestApi } from '../support/api.ts';

/** What paths name: by the parameters of routes, below what they are of. */
export interface Things {
  readonly work: string;
  readonly artifacts: string;
  readonly workspaces: string;
  readonly chat_id: string;
  readonly message_id: string;
  readonly webhooks: string;
  /** Of the conversation's file in its workspace. */
  readonly file: string;
}

export type Team = 'red' | 'blue';

/** One of each team in turn. */
export const PEOPLE = Array.from({ length: 20 }, (_, n) => `${n % 2 === 0 ? 'red' : 'blue'}${n}`);
export const teamOf = (person: string) => person.replace(/\d+$/, '') as Team;

/** What a text that only this person, or this team, may read has in it. */
export const secretOf = (person: string) => `secret-${person}-`;
export const sharedOf = (team: Team) => `shared-${team}-`;

/** The people of whom a text names somebody, or whose secret it contains, and the teams whose. */
export function whoseWords(text: string): {
  readonly people: readonly string[];
  readonly secrets: readonly string[];
  readonly teams: readonly string[];
} {
  const all = (pattern: RegExp) => [...new Set(Array.from(text.matchAll(pattern), ([, name]) => name!))];
  return { people: all(/person:(\w+)/g), secrets: all(/secret-(\w+)-/g), teams: all(/shared-(\w+)-/g) };
}

/** A conversation in which all of a team take part, which its first person has begun. */
export async function teamThings(api: TestApi, team: Team): Promise<Things> {
  const [first, ...others] = PEOPLE.filter((person) => teamOf(person) === team);
  return conversation(api, first!, sharedOf(team), others);
}

/** An ended item with a transcript, a conversation, a memory, a webhook and a token of this person. */
export async function ownThings(api: TestApi, owner: Database, person: string): Promise<Things> {
  const secret = secretOf(person);
  const chat = await conversation(api, person, secret);
  await made(api, person, '/memories', { content: `The colour is ${secret}` });
  await made(api, person, '/tokens', { label: secret });
  const webhooks = await made(api, person, '/webhooks', { url: `https://example.com/${secret}` });
  const attachments = [{ name: `${secret}.txt`, content: Buffer.from(secret).toString('base64') }];
  const work = await made(api, person, '/work', { faculty: secret, description: secret, attachments });
  await made(api, person, `/work/${work}/messages`, { text: secret });
  const [file] = (await api.call(person, 'GET', `/work/${work}/artifacts`)).body.items;
  await endWithTranscript(owner, work, secret);
  return { ...chat, webhooks, work, artifacts: file.id };
}

async function conversation(
  api: TestApi,
  person: string,
  words: string,
  others: readonly string[] = [],
): Promise<Things> {
  const workspaces = await made(api, person, '/workspaces', { name: words });
  const file = `chats/${words}.chat`;
  const chat_id = await made(api, person, `/workspaces/${workspaces}/chats`, {
    faculty: words,
    title: words,
    path: file,
  });
  const path = `/workspaces/${workspaces}/chats/${chat_id}`;
  for (const other of others) await made(api, person, `${path}/people`, { actor: `person:${other}` });
  const attachments = [{ name: `${words}.txt`, content: Buffer.from(words).toString('base64') }];
  const said = await api.call(person, 'POST', path, { body: { content: words, attachments } });
  const { message_id, work_item_id: work } = said.body;
  const [artifact] = (await api.call(person, 'GET', `/work/${work}/artifacts`)).body.items;
  return { workspaces, chat_id, message_id, work, file, artifacts: artifact.id, webhooks: '' };
}

async function made(api: TestApi, person: string, path: string, body: object): Promise<string> {
  const answer = await api.call(person, 'POST', path, { body });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.id as string;
}

/** Gives the item the transcript of one that has ended, with this word in each of its rows. */
async function endWithTranscript(owner: Database, id: string, word: string): Promise<void> {
  await fillHistory(owner, 1, { turns: 1, callsPerTurn: 1, messages: 1, ledger: 1 });
  await owner.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    const [filled] = await tx.query<{ item: string; focus: string }>(
      `select w.id as item, f.id as focus from animus.work_items w join animus.foci f on f.work_item_id = w.id where w.submitted_by is null or w.faculty = 'engineer'`,
    );
    const { item, focus } = filled!;
    await tx.query(`update animus.foci set work_item_id = $1 where id = $2`, [id, focus]);
    await tx.query(`update animus.work_ledger set work_item_id = $1, content = $3 where work_item_id = $2`, [
      id,
      item,
      word,
    ]);
    await tx.query(
      `update animus.turns set response = json_build_array(json_build_object('type', 'text', 'text', $2::text)) where focus_id = $1`,
      [focus, word],
    );
    await tx.query(`update animus.tool_calls set input = json_build_object('command', $2::text) where focus_id = $1`, [
      focus,
      word,
    ]);
    await tx.query(`update animus.focus_messages set content = $2 where focus_id = $1`, [focus, word]);
    await tx.query(
      `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, submitter)
       select faculty, 'm', current_date, 1, 1, 1, 'turn', submitted_by from animus.work_items where id = $1`,
      [id],
    );
    await tx.query(`delete from animus.work_items where id = $1`, [item]);
  });
}
