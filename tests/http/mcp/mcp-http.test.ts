import { describe, expect, test } from 'vitest';
import { askedItem, decisionsAbout } from '../../store/work/asked-item.ts';
import { testApi } from '../../support/api.ts';
import { createPerson, createToken } from '../../support/people.ts';
import { connectHttp, use } from './mcp-client.ts';

const { start, owner } = testApi();

test('submits, lists, shows, steers and cancels work as the person of the token', async () => {
  const { url, tokenOf } = await start();
  const alice = await connectHttp(url, await tokenOf('alice'));
  const { id, state, ...told } = await use(alice, 'submit_work', { faculty: 'engineer', description: 'Fix it' });
  expect(state).toBe('queued');
  expect(told).toMatchObject({
    warning: 'no running daemon serves engineer; the work waits until one does',
    waiting: { reason: 'no_daemon' },
  });
  expect(await use(alice, 'show_work', { id })).toMatchObject({ id, source: 'mcp', submitted_by: 'person:alice' });
  const child = await use(alice, 'submit_work', { faculty: 'engineer', parent_id: id, detached: true });
  expect(await use(alice, 'show_work', { id: child.id })).toMatchObject({ parent_id: id, detached: true });
  await use(alice, 'cancel_work', { id: child.id });
  expect((await use(alice, 'list_work', { state: 'queued', limit: 5 })).items).toMatchObject([{ id }]);
  expect(await use(alice, 'say_to_work', { id, text: 'Only in winter' })).toMatchObject({ id });
  expect(await use(alice, 'read_ledger', { id })).toEqual({ items: [], next: null });
  expect(await use(alice, 'cancel_work', { id })).toMatchObject({ state: 'cancelled' });
  expect(await use(alice, 'wait_for_work', { id, seconds: 1 })).toMatchObject({
    ended: true,
    asks: 0,
    item: { state: 'cancelled' },
  });
  expect(await use(alice, 'search_memory', { query: 'winter' })).toEqual({
    items: [],
    by_meaning: false,
    without_meaning: expect.stringContaining('no embedding model is configured'),
  });
  const bob = await connectHttp(url, await tokenOf('bob'));
  const missing = '01900000-0000-7000-8000-000000000000';
  for (const name of ['show_work', 'read_ledger', 'cancel_work', 'wait_for_work', 'list_children']) {
    expect(await use(bob, name, { id })).toBe(`work.not_found: no work item ${id}`);
    expect(await use(bob, name, { id: missing })).toBe(`work.not_found: no work item ${missing}`);
  }
});

test('an operator sees what waits and decides exactly that; the decision names the person', async () => {
  const { url, tokenOf } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const olga = await connectHttp(url, await tokenOf('olga'));
  const { id } = await askedItem(owner(), ['c1', 'c2']);
  expect(await use(olga, 'wait_for_work', { id, seconds: 1 })).toMatchObject({ ended: false, asks: 2 });
  const { items } = await use(olga, 'list_approvals', { work_item_id: id });
  const [{ ask_id, hash }, other] = items;
  expect(await use(olga, 'approve', { id, ask_id })).toMatch(/^http.invalid: .*hash/);
  expect(await use(olga, 'approve', { id, ask_id, hash: 'ff' })).toMatch(/^work.state: /);
  const alice = await connectHttp(url, await tokenOf('alice'));
  expect(await use(alice, 'approve', { id, ask_id, hash })).toMatch(/^http.forbidden: /);
  expect(await use(olga, 'approve', { id, ask_id, hash, note: 'yes' })).toEqual({
    work_item_id: id,
    ask_id,
    grant_id: null,
    budget: null,
  });
  await use(olga, 'deny', { id, ask_id: other.ask_id, hash: other.hash });
  expect((await decisionsAbout(owner(), id)).map(({ action }) => action)).toEqual(['approve', 'deny']);
  const by = await owner().query('select distinct decided_by from animus.decisions where work_item_id = $1', [id]);
  expect(by).toEqual([{ decided_by: 'person:olga' }]);
});

describe('waiting', () => {
  test('ends with its time, with progress, and with the work', async () => {
    const { url, tokenOf } = await start();
    const client = await connectHttp(url, await tokenOf('alice'));
    const { id } = await use(client, 'submit_work', { faculty: 'engineer' });
    const progress: string[] = [];
    const begun = Promise.withResolvers<void>();
    const waiting = client.callTool(
      { name: 'wait_for_work', arguments: { id, seconds: 60 } },
      {
        onprogress({ message }) {
          progress.push(message ?? '');
          begun.resolve();
        },
      },
    );
    expect(await use(client, 'wait_for_work', { id, seconds: 1 })).toMatchObject({ ended: false, asks: 0 });
    await begun.promise;
    await use(client, 'cancel_work', { id });
    const { content } = await waiting;
    expect(JSON.parse((content[1] as { text: string }).text)).toMatchObject({
      ended: true,
      item: { state: 'cancelled' },
    });
    expect(progress[0]).toBe('queued');
  });

  test('ends with the server', async () => {
    const { url, tokenOf, stop } = await start();
    const client = await connectHttp(url, await tokenOf('alice'));
    const { id } = await use(client, 'submit_work', { faculty: 'engineer' });
    const begun = Promise.withResolvers<void>();
    const waiting = client
      .callTool({ name: 'wait_for_work', arguments: { id, seconds: 300 } }, { onprogress: () => begun.resolve() })
      .catch((error: unknown) => error);
    await begun.promise;
    await stop();
    await waiting;
  });
});

test('a token has the tools of its scopes, and they are annotated', async () => {
  const { url } = await start();
  const { secret } = await createToken(owner(), 'carol', { scopes: ['read'] });
  const client = await connectHttp(url, secret);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'count_work',
    'list_approvals',
    'list_children',
    'list_faculties',
    'list_work',
    'read_diff',
    'read_ledger',
    'search_memory',
    'show_activity',
    'show_work',
    'wait_for_work',
  ]);
  for (const { annotations, inputSchema } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(JSON.stringify(inputSchema)).not.toContain('$ref');
  }
  expect(await use(client, 'submit_work', { faculty: 'engineer' })).toBe(
    'http.forbidden: this token does not have scope work; use a token with this scope, of a person whose role may do it',
  );
  const all = await connectHttp(url, (await createToken(owner(), 'carol')).secret);
  const writing = (await all.listTools()).tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
  expect(writing.map(({ name, annotations }) => [name, annotations?.destructiveHint])).toEqual([
    ['submit_work', false],
    ['cancel_work', true],
    ['say_to_work', false],
    ['approve', true],
    ['deny', true],
    ['answer_question', true],
  ]);
});

test('a client of the newest protocol version needs no handshake', async () => {
  const { call } = await start();
  const send = (method: string, params: object = {}, name?: string) =>
    call('alice', 'POST', '/mcp', {
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    });
  const { status, headers, body } = await send('tools/call', { name: 'list_work', arguments: {} }, 'list_work');
  expect([status, headers.get('content-type'), body]).toEqual([
    200,
    expect.stringContaining('text/event-stream'),
    expect.stringContaining('{\\"items\\":'),
  ]);
  const listen = await send('subscriptions/listen', { notifications: {} });
  expect(JSON.stringify(listen.body)).toContain('Subscription limit reached');
});
