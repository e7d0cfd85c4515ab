/** `animus webhook add|list|rotate|remove|test|retry`: signed requests about changes of work and approvals that wait. */
import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { findOne, type NamedKind } from '../../core/work/find-one.ts';
import { ID_RULE, isNamedBy } from '../../core/work/id-reference.ts';
import { namesOfPeople, similarPerson } from '../../store/people/listed-person.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted, shortId } from '../../terminal/view/quantities.ts';
import {
  addWebhook,
  changeWebhook,
  listWebhooks,
  removeWebhook,
  retryDeliveries,
  rotateWebhook,
  testWebhook,
} from './operations.ts';
import { showDeadDeliveries, showWebhooks } from './show-webhooks.ts';
import * as store from './store.ts';

const named = { arguments: { id: `the webhook: ${ID_RULE}` }, find: findWebhook };

const add = operationCommand(addWebhook, {
  usage: 'add <url>',
  summary: 'add a webhook and print its secret, with which the receiver checks signatures; it is not stored',
  arguments: { url: 'where requests are sent: an https:// URL' },
  examples: [
    'animus webhook add https://example.com/animus',
    'animus webhook add https://example.com/animus --events work.dead,approval.waiting --faculty developer --label pager',
  ],
  options: {
    events: [
      '--events <events>',
      `some of ${store.webhookEvent.words.join(', ')}, separated by commas; default: ${store.DEFAULT_WEBHOOK_EVENTS.join(', ')}`,
    ],
    faculties: ['--faculty <name>', 'only about work of this faculty; can be repeated'],
    label: ['--label <text>', 'what it is for; at most 200 characters'],
    person: ['--person <name>', 'only about what this person may see; for operators. Default: what you may see'],
  },
  async after(db, { input: { person } }, { output }) {
    if (person === undefined) return;
    const people = await namesOfPeople(db, person);
    if (people.includes(person)) return;
    output.note(
      `nobody is listed as ${person}${similarPerson(person, people)}; nothing is sent until this person has work`,
    );
  },
  document: ({ result: { id, url, events, faculties, secret } }) => ({ id, url, events, faculties, secret }),
  show(output, { result: { id, events, secret } }) {
    output.note(`webhook ${shortId(id)} for ${events.join(', ')}; its secret, which is not stored:`);
    output.line(secret);
  },
});

const change = operationCommand(changeWebhook, {
  ...named,
  usage: 'change <id>',
  summary: 'change the address, the events, the faculties or the label of a webhook; its secret stays',
  examples: [
    'animus webhook change 4f2a9c1d --events work.dead,approval.waiting',
    'animus webhook change 4f2a9c1d --url https://example.com/new --label pager',
  ],
  options: {
    url: ['--url <url>', 'where requests are sent, also those that wait: an https:// URL'],
    events: ['--events <events>', `some of ${store.webhookEvent.words.join(', ')}, separated by commas`],
    faculties: ['--faculty <name>', 'only about work of this faculty; can be repeated'],
    label: ['--label <text>', 'what it is for; at most 200 characters'],
  },
  more: { everyFaculty: ['--every-faculty', 'about work of all faculties'] },
  read: async (given, _, { everyFaculty }) => (everyFaculty ? { ...given, faculties: [] } : given),
  check: ({ url, events, faculties, label }) =>
    url === undefined && events === undefined && faculties === undefined && label === undefined
      ? 'give --url, --events, --faculty, --every-faculty or --label'
      : null,
  show: (output, { result: { id, url, events, faculties } }) =>
    output.line(`webhook ${shortId(id)} to ${url}  ${events.join(', ')}  ${faculties?.join(', ') ?? 'all faculties'}`),
});

const list = operationCommand(listWebhooks, {
  usage: 'list',
  summary: 'list your webhooks, or all for operators, with the deliveries that wait and that failed permanently',
  examples: ['animus webhook list', 'animus webhook list --dead --json'],
  instead: {
    option: ['--dead', 'list the deliveries that failed permanently instead, the newest 100'],
    run: showDeadDeliveries,
  },
  document: ({ result: { items: webhooks } }) => ({ webhooks }),
  show: (output, { result }) => showWebhooks(output, result.items),
});

const rotate = operationCommand(rotateWebhook, {
  ...named,
  usage: 'rotate <id>',
  summary: 'make a new secret for a webhook and print it; the previous one also signs for a day',
  examples: ['animus webhook rotate 4f2a9c1d', 'animus webhook rotate 4f2a9c1d --keep-hours 0'],
  options: { keep_hours: ['--keep-hours <hours>', 'how long the previous secret also signs: 0 to 168'] },
  document: ({ input: { keep_hours }, result: { id, secret_version, secret } }) => ({
    id,
    secret_version,
    keep_hours,
    secret,
  }),
  show(output, { input: { keep_hours: hours }, result: { id, secret } }) {
    const old = hours === 0 ? 'the previous secret no longer signs' : `the previous secret also signs for ${hours} h`;
    output.note(`webhook ${shortId(id)}: ${old}; its new secret, which is not stored:`);
    output.line(secret);
  },
});

const remove = operationCommand(removeWebhook, {
  ...named,
  usage: 'remove <id>',
  summary: 'remove a webhook with all its deliveries',
  examples: ['animus webhook remove 4f2a9c1d'],
  document: ({ row: { id, url } }) => ({ id, url, removed: true }),
  show: (output, { row: { id, url } }) => output.line(`webhook ${shortId(id)} to ${url}  `, styled('removed', 'green')),
});

/** Exit code 0: the receiver accepted the test; 1: it did not, or no daemon sent it in time. */
const test = operationCommand(testWebhook, {
  ...named,
  usage: 'test <id>',
  summary: 'send the event webhook.test through a daemon and show what the receiver answered',
  examples: ['animus webhook test 4f2a9c1d'],
  after: (db, { result }) => firstAttempt(db, result.delivery_id),
  document: ({ row: { id }, after: state }) => ({
    id,
    delivered: state?.state === 'delivered',
    status: state?.last_status ?? null,
    error: state?.last_error ?? null,
  }),
  show(output, { row: { id, url }, after: state }) {
    const accepted = state?.state === 'delivered';
    const shown = accepted
      ? styled(`accepted with ${state.last_status}`, 'green')
      : styled(state?.last_error ?? 'no daemon has sent it yet; is one running with the key of the webhook?', 'red');
    output.line(`webhook ${shortId(id)} to ${url}  `, shown);
    return accepted ? 0 : 1;
  },
});

const retry = operationCommand(retryDeliveries, {
  ...named,
  usage: 'retry <id>',
  summary: 'send the deliveries of a webhook that failed permanently again, with the same ids',
  examples: ['animus webhook retry 4f2a9c1d', 'animus webhook retry 4f2a9c1d --delivery 1234'],
  options: { delivery_id: ['--delivery <number>', 'only this one, as in: animus webhook list --dead'] },
  async after(_, { input: { delivery_id: wanted }, result: { retried } }) {
    if (retried > 0 || wanted === undefined) return;
    throw new AnimusError('work.not_found', { detail: `no dead delivery ${wanted}`, hint: '' });
  },
  show: (output, { result: { id, retried } }) =>
    output.line(`${counted(retried, 'delivery', 'deliveries')} of webhook ${shortId(id)} will be sent again`),
});

export const webhookCommands = [add, change, list, rotate, remove, test, retry];

/** Longer than an attempt takes. */
const TEST_MS = 20_000;

/** How the first attempt ended; null: there was none in time. */
async function firstAttempt(db: Queryable, delivery: string): Promise<store.Delivery | null> {
  const endMs = systemClock.monotonicMs() + TEST_MS;
  while (systemClock.monotonicMs() < endMs) {
    const state = await store.readDelivery(db, delivery);
    if (state !== null && (state.state !== 'pending' || state.last_error !== null)) return state;
    await systemClock.sleep(200);
  }
  return null;
}

const WEBHOOKS: NamedKind = { kind: 'webhook', list: 'animus webhook list' };

/** The one webhook that an id or a part of it names (`readIdReference`). Errors: those of `findOne`. */
async function findWebhook(db: Queryable, reference: string): Promise<store.Webhook> {
  const hooks = await store.listWebhooks(db);
  const id = await findOne(reference, WEBHOOKS, async (part) =>
    hooks.filter((hook) => isNamedBy(hook.id, part)).map((hook) => ({ id: hook.id, about: hook.url })),
  );
  return hooks.find((hook) => hook.id === id)!;
}
