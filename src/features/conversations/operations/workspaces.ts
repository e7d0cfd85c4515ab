/** What can be done with workspaces. */
import { id, limit, optional, text } from '../../../operations/fields.ts';
import { type Operation, operation } from '../../../operations/operation.ts';
import { pageOf } from '../../../operations/page-of.ts';
import * as store from '../store/workspaces.ts';

const name = text({ min: 1, max: 200 });

const createWorkspace = operation({
  name: 'createWorkspace',
  tag: 'workspaces',
  summary: 'Create a workspace of yours, or find the one of that name',
  scope: 'work',
  http: { method: 'POST', path: '/workspaces' },
  input: { name },
  output: store.workspace,
  errors: ['work.invalid'],
  run: async ({ tx }, input) => store.readVisibleWorkspace(tx, await store.createWorkspace(tx, input.name)),
});

const listWorkspaces = operation({
  name: 'listWorkspaces',
  tag: 'workspaces',
  summary: 'Your workspaces and those of conversations in which you take part, newest first',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces' },
  input: { after: optional(id()), limit: limit() },
  output: (s) => s.page(store.workspace(s)),
  run: async ({ tx }, input) =>
    pageOf(await store.listVisibleWorkspaces(tx, input.after, input.limit + 1), input.limit, (row) => row.id),
});

const showWorkspace = operation({
  name: 'showWorkspace',
  tag: 'workspaces',
  summary: 'One workspace',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces/{id}' },
  input: { id: id() },
  output: store.workspace,
  errors: ['work.not_found'],
  run: ({ tx }, input) => store.readVisibleWorkspace(tx, input.id),
});

const renameWorkspace = operation({
  name: 'renameWorkspace',
  tag: 'workspaces',
  summary: 'Rename a workspace of yours',
  scope: 'work',
  http: { method: 'PATCH', path: '/workspaces/{id}' },
  input: { id: id(), name },
  output: store.workspace,
  errors: ['work.not_found', 'work.state', 'work.invalid'],
  async run({ tx }, input) {
    await store.renameWorkspace(tx, input.id, input.name);
    return store.readVisibleWorkspace(tx, input.id);
  },
});

const deleteWorkspace = operation({
  name: 'deleteWorkspace',
  tag: 'workspaces',
  summary: 'Delete a workspace of yours that has no conversations',
  scope: 'work',
  http: { method: 'DELETE', path: '/workspaces/{id}' },
  input: { id: id() },
  output: (s) => s.z.object({ id: s.id(), deleted: s.z.literal(true) }),
  errors: ['work.not_found', 'work.state'],
  async run({ tx }, input) {
    await store.deleteWorkspace(tx, input.id);
    return { id: input.id, deleted: true as const };
  },
});

const listFiles = operation({
  name: 'listWorkspaceFiles',
  tag: 'workspaces',
  summary: 'The files of a workspace, newest first',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces/{id}/files' },
  input: { id: id(), after: optional(id()), limit: limit() },
  output: (s) => s.page(store.workspaceFile(s)),
  errors: ['work.not_found'],
  async run({ tx }, input) {
    await store.readVisibleWorkspace(tx, input.id);
    const files = await store.listVisibleFiles(tx, input.id, input.after, input.limit + 1);
    return pageOf(files, input.limit, (row) => row.id);
  },
});

export const workspaceOperations: readonly Operation[] = [
  createWorkspace,
  listWorkspaces,
  showWorkspace,
  renameWorkspace,
  deleteWorkspace,
  listFiles,
];
