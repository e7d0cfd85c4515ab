// Written by `npm run client` from the OpenAPI document. Do not edit.

/** The routes behind the methods of a client, by group and name. */
import type { Api } from './api.ts';
import type { RouteRow } from './route-row.ts';

/** The path below which all routes are. */
export const API_ROOT = '/api/v1';

export const API_ROUTES: { readonly [Group in keyof Api]: { readonly [Name in keyof Api[Group]]: RouteRow } } = {
  work: {
    submit: { method: 'POST', path: '/work', kind: 'json', input: true, body: true },
    list: { method: 'GET', path: '/work', kind: 'list', input: true, query: ['state', 'faculty', 'after', 'limit'] },
    show: { method: 'GET', path: '/work/{id}', kind: 'json' },
    listChildren: {
      method: 'GET',
      path: '/work/{id}/children',
      kind: 'list',
      input: true,
      query: ['state', 'after', 'limit'],
    },
    cancel: { method: 'POST', path: '/work/{id}/cancel', kind: 'json', input: true, body: true },
    retry: { method: 'POST', path: '/work/{id}/retry', kind: 'json', body: true },
    say: { method: 'POST', path: '/work/{id}/messages', kind: 'json', input: true, body: true },
    events: { method: 'GET', path: '/work/{id}/events', kind: 'events' },
    states: { method: 'GET', path: '/events', kind: 'events' },
  },
  record: {
    readLedger: {
      method: 'GET',
      path: '/work/{id}/ledger',
      kind: 'list',
      input: true,
      query: ['type', 'after', 'limit'],
    },
    appendLedger: { method: 'POST', path: '/work/{id}/ledger', kind: 'json', input: true, body: true },
    listFoci: { method: 'GET', path: '/work/{id}/foci', kind: 'json' },
    listTurns: { method: 'GET', path: '/work/{id}/turns', kind: 'list', input: true, query: ['after', 'limit'] },
    listToolCalls: {
      method: 'GET',
      path: '/work/{id}/tool-calls',
      kind: 'list',
      input: true,
      query: ['full', 'after', 'limit'],
    },
  },
  approvals: {
    list: { method: 'GET', path: '/approvals', kind: 'json', input: true, query: ['work_item_id', 'limit'] },
    approve: { method: 'POST', path: '/work/{id}/approve', kind: 'json', input: true, body: true },
    deny: { method: 'POST', path: '/work/{id}/deny', kind: 'json', input: true, body: true },
    answer: { method: 'POST', path: '/work/{id}/answer', kind: 'json', input: true, body: true },
  },
  artifacts: {
    list: { method: 'GET', path: '/work/{id}/artifacts', kind: 'list', input: true, query: ['after', 'limit'] },
    read: { method: 'GET', path: '/artifacts/{id}', kind: 'stream' },
  },
  operate: {
    listFaculties: { method: 'GET', path: '/faculties', kind: 'json' },
    listPauses: { method: 'GET', path: '/pauses', kind: 'json' },
    pause: { method: 'POST', path: '/pauses', kind: 'json', input: true, body: true },
    resume: { method: 'DELETE', path: '/pauses/{faculty}', kind: 'json' },
    status: { method: 'GET', path: '/status', kind: 'json' },
    spend: { method: 'GET', path: '/spend', kind: 'json', input: true, query: ['since', 'until', 'by', 'limit'] },
  },
  schedules: {
    list: { method: 'GET', path: '/schedules', kind: 'json' },
    add: { method: 'POST', path: '/schedules', kind: 'json', input: true, body: true },
    pause: { method: 'POST', path: '/schedules/{name}/pause', kind: 'json', body: true },
    resume: { method: 'POST', path: '/schedules/{name}/resume', kind: 'json', body: true },
    run: { method: 'POST', path: '/schedules/{name}/run', kind: 'json', body: true },
    remove: { method: 'DELETE', path: '/schedules/{name}', kind: 'json' },
  },
  memory: {
    search: {
      method: 'GET',
      path: '/memories',
      kind: 'json',
      input: true,
      query: ['query', 'layer', 'kind', 'tag', 'project', 'task', 'limit'],
    },
    store: { method: 'POST', path: '/memories', kind: 'json', input: true, body: true },
    update: { method: 'PATCH', path: '/memories/{id}', kind: 'json', input: true, body: true },
    forget: { method: 'DELETE', path: '/memories/{id}', kind: 'json', input: true, query: ['reason'] },
  },
  skills: {
    list: { method: 'GET', path: '/skills', kind: 'json' },
    show: { method: 'GET', path: '/skills/{name}', kind: 'json' },
  },
  workspaces: {
    create: { method: 'POST', path: '/workspaces', kind: 'json', input: true, body: true },
    list: { method: 'GET', path: '/workspaces', kind: 'list', input: true, query: ['after', 'limit'] },
    show: { method: 'GET', path: '/workspaces/{id}', kind: 'json' },
    listFiles: { method: 'GET', path: '/workspaces/{id}/files', kind: 'list', input: true, query: ['after', 'limit'] },
    readFile: { method: 'GET', path: '/workspaces/{id}/files/content', kind: 'stream', input: true, query: ['path'] },
  },
  chats: {
    start: { method: 'POST', path: '/workspaces/{id}/chats', kind: 'json', input: true, body: true },
    list: { method: 'GET', path: '/workspaces/{id}/chats', kind: 'list', input: true, query: ['after', 'limit'] },
    show: { method: 'GET', path: '/workspaces/{id}/chats/{chat_id}', kind: 'json' },
    change: { method: 'PATCH', path: '/workspaces/{id}/chats/{chat_id}', kind: 'json', input: true, body: true },
    delete: { method: 'DELETE', path: '/workspaces/{id}/chats/{chat_id}', kind: 'json' },
    say: { method: 'POST', path: '/workspaces/{id}/chats/{chat_id}', kind: 'json', input: true, body: true },
    invite: { method: 'POST', path: '/workspaces/{id}/chats/{chat_id}/people', kind: 'json', input: true, body: true },
    remove: { method: 'DELETE', path: '/workspaces/{id}/chats/{chat_id}/people/{actor}', kind: 'json' },
    listMessages: {
      method: 'GET',
      path: '/workspaces/{id}/chats/{chat_id}/messages',
      kind: 'list',
      input: true,
      query: ['after', 'limit'],
    },
    showMessage: { method: 'GET', path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}', kind: 'json' },
    deleteMessage: { method: 'DELETE', path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}', kind: 'json' },
    editMessage: {
      method: 'POST',
      path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}/edit',
      kind: 'json',
      input: true,
      body: true,
    },
    retryMessage: {
      method: 'POST',
      path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}/retry',
      kind: 'json',
      body: true,
    },
    listAttachments: {
      method: 'GET',
      path: '/workspaces/{id}/chats/{chat_id}/attachments',
      kind: 'list',
      input: true,
      query: ['after', 'limit'],
    },
    export: {
      method: 'GET',
      path: '/workspaces/{id}/chats/{chat_id}/export',
      kind: 'stream',
      input: true,
      query: ['format'],
    },
    import: { method: 'POST', path: '/workspaces/{id}/imports', kind: 'json', input: true, body: true },
  },
};
