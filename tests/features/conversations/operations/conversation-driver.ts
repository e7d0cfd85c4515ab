/** Steps of tests of conversations over HTTP. */
import { randomUUID } from 'node:crypto';
import type { Answer, TestApi } from '../../../support/api.ts';

export type Json = Answer['body'];

export interface HttpChat {
  readonly id: string;
  readonly faculty: string;
  readonly workspace: string;
  /** Below /api/v1. */
  readonly path: string;
}

/** A conversation of the person with a faculty of its own. */
export async function chatOf(api: TestApi, person: string, body: object = {}): Promise<HttpChat> {
  const faculty = `f${randomUUID()}`;
  const { body: workspace } = await api.call(person, 'POST', '/workspaces', { body: { name: 'default' } });
  const begun = await api.call(person, 'POST', `/workspaces/${workspace.id}/chats`, { body: { faculty, ...body } });
  if (begun.status !== 201) throw new Error(JSON.stringify(begun.body));
  const { id } = begun.body;
  return { id, faculty, workspace: workspace.id, path: `/workspaces/${workspace.id}/chats/${id}` };
}

/** All messages after a cursor, page by page. */
export async function messagesOf(
  api: TestApi,
  person: string,
  { path }: HttpChat,
  { limit = 50, after = null, order }: { limit?: number; after?: string | null; order?: 'newest' } = {},
): Promise<Json[]> {
  const seen: Json[] = [];
  let next = after;
  do {
    const answer = await api.call(
      person,
      'GET',
      `${path}/messages?limit=${limit}${next === null ? '' : `&after=${next}`}${order ? `&order=${order}` : ''}`,
    );
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    seen.push(...answer.body.items);
    next = answer.body.next;
  } while (next !== null);
  return seen;
}
