/**
 * What somebody would write by hand for the routes of tests/bench/http/measured-routes.ts: one prepared statement on the tables of the same
 * database, by the same number of connections. Nobody's token or rights are looked at: who asks is in a header.
 */
import { Pool } from 'pg';

export interface BareRoute {
  readonly method: 'GET' | 'POST';
  /** With `:name` for a parameter, which Fastify and Hono both understand. */
  readonly path: string;
  readonly status: 200 | 201;
  answer(sent: Sent): Promise<unknown>;
}

export interface Sent {
  readonly params: Readonly<Record<string, string>>;
  readonly person: string | undefined;
  readonly body: unknown;
}

/** Where the rows of POST go: a table with the columns, checks and indexes of ours, without its triggers, messages and references. */
export const BARE_TABLE = `
  create schema bare;
  create table bare.items (like animus.work_items including all)`;

const LISTED = `id, faculty, state, description, outcome_summary, priority, attempts, turns, cost_usd, parent_id, merged_into, run_at, created_at, resolved_at`;

const ITEM = `
  select ${LISTED}, skill, params, dedup_key, concurrency_key, source, trigger_info, cancel_requested_at, outcome, error, input_tokens, output_tokens,
         updated_at, root_id, depth, max_attempts, cancel_reason, submitted_by, batch, detached
    from animus.work_items where id = $1`;

const LIST = `select ${LISTED} from animus.work_items where submitted_by = $1 order by id desc limit 50`;

const ADD = `
  insert into bare.items (id, root_id, depth, state, created_at, updated_at, faculty, description, params, submitted_by)
  select i, i, 0, 'queued', now(), now(), $1, $2, $3, $4 from gen_random_uuid() i returning id, state`;

const CHAT = `
  select c.file_id as id, f.workspace_id, f.path, c.title, c.faculty, c.while_answering, c.created_by, f.created_at, f.updated_at,
         array(select p.actor from animus.conversation_people p where p.file_id = c.file_id order by p.actor) as people,
         array(select p.actor from animus.conversation_people p where p.file_id = c.file_id and p.role = 'owner' order by p.actor) as owners
    from animus.conversations c join animus.files f on f.id = c.file_id where f.workspace_id = $1 and c.file_id = $2`;

const MESSAGES = `
  select id::text, number, role, content, author, created_at, replaces::text, work_item_id, told, ended_as
    from animus.chat_messages where file_id = $1 order by id limit 50`;

/** The function that the route calls, too: nobody would write it by hand. */
const STATUS = 'select animus.visible_status() as status';

export function bareRoutes(databaseUrl: string): readonly BareRoute[] {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const rows = async (name: string, text: string, values: readonly unknown[]): Promise<readonly unknown[]> =>
    (await pool.query({ name, text, values: [...values] })).rows;
  const get = (path: string, answer: BareRoute['answer']): BareRoute => ({ method: 'GET', path, status: 200, answer });
  return [
    get('/work/:id', async ({ params }) => (await rows('item', ITEM, [params['id']]))[0]),
    get('/work', async ({ person }) => ({ items: await rows('list', LIST, [`person:${person}`]), next: null })),
    get(
      '/workspaces/:id/chats/:chat',
      async ({ params }) => (await rows('chat', CHAT, [params['id'], params['chat']]))[0],
    ),
    get('/workspaces/:id/chats/:chat/messages', async ({ params }) => ({
      items: await rows('messages', MESSAGES, [params['chat']]),
      next: null,
    })),
    get('/status', async () => ((await rows('status', STATUS, []))[0] as { readonly status: unknown }).status),
    {
      method: 'POST',
      path: '/work',
      status: 201,
      async answer({ person, body }) {
        const { faculty, description, params } = body as Readonly<Record<string, unknown>>;
        return (await rows('add', ADD, [faculty, description, params, `person:${person}`]))[0];
      },
    },
  ];
}
