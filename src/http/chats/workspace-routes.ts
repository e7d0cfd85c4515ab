/** Workspaces and their files. */
import { z } from 'zod';
import { createWorkspace, deleteWorkspace, renameWorkspace } from '../../features/conversations/store/conversations.ts';
import {
  listVisibleFiles,
  listVisibleWorkspaces,
  readVisibleWorkspace,
} from '../../features/conversations/store/visible-conversations.ts';
import { pageOf } from '../../operations/page-of.ts';
import { id, limit, page, time } from '../../operations/schemas.ts';
import { jsonRoute, type Route, streamRoute } from '../route/route.ts';
import { ofWorkspace, workspace } from './chat-schemas.ts';
import { workspaceFile } from './workspace-file.ts';

const createWorkspaceRoute = jsonRoute({
  id: 'createWorkspace',
  method: 'POST',
  path: '/workspaces',
  tag: 'workspaces',
  summary: 'Create a workspace of yours, or find the one of that name',
  scope: 'work',
  body: z.strictObject({ name: z.string().min(1).max(200) }),
  output: workspace,
  errors: ['work.invalid'],
  run: async ({ tx }, { body }) => readVisibleWorkspace(tx, await createWorkspace(tx, body.name)),
});

const listWorkspaces = jsonRoute({
  id: 'listWorkspaces',
  method: 'GET',
  path: '/workspaces',
  tag: 'workspaces',
  summary: 'Your workspaces and those of conversations in which you take part, newest first',
  scope: 'read',
  query: z.strictObject({ after: id().optional(), limit: limit() }),
  output: page(workspace),
  run: async ({ tx }, { query: { after = null, limit: most } }) =>
    pageOf(await listVisibleWorkspaces(tx, { after, limit: most + 1 }), most, (row) => row.id),
});

const showWorkspace = jsonRoute({
  id: 'showWorkspace',
  method: 'GET',
  path: '/workspaces/{id}',
  tag: 'workspaces',
  summary: 'One workspace',
  scope: 'read',
  params: ofWorkspace,
  output: workspace,
  errors: ['work.not_found'],
  run: ({ tx }, { path }) => readVisibleWorkspace(tx, path.id),
});

const renameWorkspaceRoute = jsonRoute({
  id: 'renameWorkspace',
  method: 'PATCH',
  path: '/workspaces/{id}',
  tag: 'workspaces',
  summary: 'Rename a workspace of yours',
  scope: 'work',
  params: ofWorkspace,
  body: z.strictObject({ name: z.string().min(1).max(200) }),
  output: workspace,
  errors: ['work.not_found', 'work.state', 'work.invalid'],
  run: async ({ tx }, { path, body }) => {
    await renameWorkspace(tx, path.id, body.name);
    return readVisibleWorkspace(tx, path.id);
  },
});

const deleteWorkspaceRoute = jsonRoute({
  id: 'deleteWorkspace',
  method: 'DELETE',
  path: '/workspaces/{id}',
  tag: 'workspaces',
  summary: 'Delete a workspace of yours that has no conversations',
  scope: 'work',
  params: ofWorkspace,
  output: z.object({ id: id(), deleted: z.literal(true) }),
  errors: ['work.not_found', 'work.state'],
  run: async ({ tx }, { path }) => {
    await deleteWorkspace(tx, path.id);
    return { id: path.id, deleted: true as const };
  },
});

const fileOfWorkspace = z
  .object({
    id: id(),
    path: z.string(),
    is_virtual: z.boolean().describe('its content is made when it is read'),
    kind: z.enum(['chat', 'attachment']).describe('a conversation, or what came with a message of one'),
    media_type: z.string().nullable().describe('null for a virtual file'),
    bytes: z.number().nullable(),
    updated_at: time(),
  })
  .meta({ id: 'WorkspaceFile' });

const listFiles = jsonRoute({
  id: 'listWorkspaceFiles',
  method: 'GET',
  path: '/workspaces/{id}/files',
  tag: 'workspaces',
  summary: 'The files of a workspace, newest first',
  scope: 'read',
  params: ofWorkspace,
  query: z.strictObject({ after: id().optional(), limit: limit() }),
  output: page(fileOfWorkspace),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query: { after = null, limit: most } }) => {
    await readVisibleWorkspace(tx, path.id);
    return pageOf(await listVisibleFiles(tx, path.id, { after, limit: most + 1 }), most, (row) => row.id);
  },
});

const readFile = streamRoute({
  id: 'readWorkspaceFile',
  method: 'GET',
  path: '/workspaces/{id}/files/content',
  tag: 'workspaces',
  summary: 'The content of a file, by its path; supports If-None-Match',
  scope: 'read',
  params: ofWorkspace,
  query: z.strictObject({ path: z.string().min(1).max(500).describe('in the workspace, such as chats/plans.chat') }),
  media: ['text/markdown', '*/*'],
  described: {
    headers: { 'If-None-Match': 'The ETag of the content that the client has.' },
    answers: { 304: 'The client has the content.' },
  },
  errors: ['work.not_found', 'work.state'],
  respond: (visit, { path, query }, request) => workspaceFile(visit, path.id, query.path, request),
});

export const workspaceRoutes: readonly Route[] = [
  createWorkspaceRoute,
  listWorkspaces,
  showWorkspace,
  renameWorkspaceRoute,
  deleteWorkspaceRoute,
  listFiles,
  readFile,
];
