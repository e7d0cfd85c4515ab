/** `animus webhook add|rotate|remove`. */
import { randomUUID } from 'node:crypto';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { webhookKeyMark, webhookSecret } from '../../core/secrets/webhook-secret.ts';
import { similarPerson } from '../../store/people/listed-person.ts';
import { listPeople } from '../../store/people/people-views.ts';
import {
  addWebhook,
  DEFAULT_WEBHOOK_EVENTS,
  removeWebhook,
  rotateWebhook,
  type WebhookEvent,
} from '../../store/work/webhooks.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { shortId } from '../../terminal/view/quantities.ts';
import { findWebhook } from './find-webhook.ts';

interface AddOptions extends CommonOptions {
  readonly events?: readonly WebhookEvent[];
  readonly faculty?: readonly string[];
  readonly label?: string;
  readonly person?: string;
}

interface RotateOptions extends CommonOptions {
  readonly keepHours?: number;
}

/** How long the secret before a new one signs, too. */
const KEEP_HOURS = 24;

/** Errors: `http.no_webhook_key`, `work.invalid`, `db.forbidden`. */
export async function addWebhookCommand(invocation: Invocation, options: AddOptions, url: string): Promise<number> {
  const { output } = invocation;
  const key = await presentKey(invocation);
  const id = randomUUID();
  const { events = DEFAULT_WEBHOOK_EVENTS, faculty: faculties, label, person } = options;
  await withDatabase(invocation, async (db) => {
    await addWebhook(db, { id, url, events, keyMark: webhookKeyMark(key), faculties, label, person });
    for (const name of faculties ?? []) {
      const { warnIfUnserved } = await import('../../terminal/command/known-faculties.ts');
      await warnIfUnserved(invocation, db, { name, until: 'nothing is sent of it', named: true });
    }
    if (person === undefined) return;
    const people = await listPeople(db);
    if (people.some(({ name }) => name === person)) return;
    output.note(
      `nobody is listed as ${person}${similarPerson(person, people)}; nothing is sent until this person has work`,
    );
  });
  const secret = secretOf(key, id, 1);
  output.document({ id, url, events, faculties: faculties ?? null, secret });
  output.note(`webhook ${shortId(id)} for ${events.join(', ')}; its secret, which is not stored:`);
  output.line(secret);
  return 0;
}

/** Errors: `http.no_webhook_key`, `work.not_found`. */
export async function rotateCommand(
  invocation: Invocation,
  { keepHours = KEEP_HOURS }: RotateOptions,
  reference: string,
): Promise<number> {
  const { output } = invocation;
  const key = await presentKey(invocation);
  const { id, version } = await withDatabase(invocation, async (db) => {
    const hook = await findWebhook(db, reference);
    return { id: hook.id, version: await rotateWebhook(db, hook.id, webhookKeyMark(key), keepHours) };
  });
  const secret = secretOf(key, id, version);
  output.document({ id, secret_version: version, keep_hours: keepHours, secret });
  const old =
    keepHours === 0 ? 'the previous secret no longer signs' : `the previous secret also signs for ${keepHours} h`;
  output.note(`webhook ${shortId(id)}: ${old}; its new secret, which is not stored:`);
  output.line(secret);
  return 0;
}

async function presentKey(invocation: Invocation): Promise<Secret> {
  const { key } = (await invocation.config()).webhooks;
  if (key !== null) return key;
  throw new AnimusError('http.no_webhook_key');
}

function secretOf(key: Secret, webhookId: string, secretVersion: number): string {
  return webhookSecret([key], { webhookId, keyMark: webhookKeyMark(key), secretVersion })!.reveal();
}

/** Errors: `work.not_found`. */
export async function removeCommand(
  invocation: Invocation,
  _options: CommonOptions,
  reference: string,
): Promise<number> {
  const { output } = invocation;
  const { id, url } = await withDatabase(invocation, async (db) => {
    const hook = await findWebhook(db, reference);
    await removeWebhook(db, hook.id);
    return hook;
  });
  output.document({ id, url, removed: true });
  output.line(`webhook ${shortId(id)} to ${url}  `, styled('removed', 'green'));
  return 0;
}
