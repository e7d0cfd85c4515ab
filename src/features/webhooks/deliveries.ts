/**
 * What a daemon does with the deliveries of webhooks (docs/webhooks.md): claims them, sends each, and ends the claim. The receiver is not trusted: its
 * address is checked, its redirects and its body are not followed or read.
 */
import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import { request } from 'undici';
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { isTarget } from '../../core/text/web-target.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import { ForbiddenAddress, forbiddenLiteral, guardedAgent, type WebReach } from '../../tools/web/guarded-agent.ts';
import { headerOf, innermostCause, reasonOf } from '../../tools/web/http-body.ts';
import type { Delivery } from './store.ts';
import { SECRET_PREFIX, webhookSecret } from './store.ts';

/** From the name lookup to the headers of the answer. */
export const SEND_MS = 15_000;
/** It was not sent. */
const RELEASED: DeliveryEnd = { result: 'released', status: null, error: null, retryAfterSeconds: 0 };
/** The receiver says that it will never want the webhook again. */
const GONE = 410;

/** Sends it once, while `lease` holds. Never rejects. `signal`: the daemon stops. `limitMs`: default `SEND_MS`. */
export async function sendDelivery(
  delivery: ClaimedDelivery,
  keys: readonly Secret[],
  reach: WebReach,
  { signal, lease }: { readonly signal: AbortSignal; readonly lease: Lease },
  limitMs = SEND_MS,
): Promise<DeliveryEnd> {
  const url = URL.parse(delivery.url);
  const refusal = url === null ? 'the address is not a URL' : refusalOf(url, reach);
  if (url === null || refusal !== null) return failed(null, `${refusal}`);
  const limit = AbortSignal.timeout(limitMs);
  const agent = guardedAgent(url, reach);
  try {
    const seconds = Math.floor(Date.now() / 1000);
    if (!lease.holds()) return RELEASED;
    const response = await request(url, {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.any([signal, limit]),
      headersTimeout: limitMs,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'animus (webhook)',
        ...webhookHeaders(secretsOf(delivery, keys), { ...delivery, seconds }),
      },
      body: delivery.body,
    });
    // The body says nothing that is needed. Destroying the agent ends the connection, however much would follow.
    response.body.on('error', () => {});
    return endOf(response.statusCode, headerOf(response, 'retry-after'));
  } catch (error) {
    if (signal.aborted) return RELEASED;
    if (limit.aborted) return failed(null, `no answer within ${limitMs / 1000} s`);
    return { ...failed(null, shownReason(url, error)), cause: reasonOf(error) };
  } finally {
    await agent.destroy();
  }
}

/** The present secret, and the one before while it is still in use. */
function secretsOf(delivery: ClaimedDelivery, keys: readonly Secret[]): readonly Secret[] {
  const { oldKeyMark, secretVersion } = delivery;
  const old = oldKeyMark && webhookSecret(keys, { ...delivery, keyMark: oldKeyMark, secretVersion: secretVersion - 1 });
  return [webhookSecret(keys, delivery), old || null].filter((secret) => secret !== null);
}

/** Why nothing may be sent to the address; null: its name is checked when it is resolved. */
function refusalOf(url: URL, reach: WebReach): string | null {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${url.protocol}// is not supported`;
  if (url.username !== '' || url.password !== '') return 'the address contains a user or password';
  if (url.protocol === 'http:' && !isListed(url, port, reach)) {
    return 'without TLS, only addresses in webhooks.allow get webhooks; use https://';
  }
  if (url.port !== '' && port < 1024 && !isListed(url, port, reach)) return `port ${port} is not allowed`;
  return forbiddenLiteral(url, reach)?.message ?? null;
}

/** Whether an operator has allowed exactly this host, by its name or its address. */
function isListed(url: URL, port: number, { allow }: WebReach): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isTarget(allow, host, host, port);
  return allow.some((target) => 'host' in target && target.host === host && (target.port ?? port) === port);
}

/**
 * The error that the owner of a webhook sees. It must not tell which internal names exist, nor their addresses: a name that does not exist and one with a
 * private address look alike.
 */
function shownReason({ hostname }: URL, error: unknown): string {
  const cause = innermostCause(error);
  const { syscall = '', code = '' }: Partial<NodeJS.ErrnoException> = cause instanceof Error ? cause : {};
  if (cause instanceof ForbiddenAddress || syscall === 'getaddrinfo' || LOOKUP_CODES.test(code)) {
    return `${hostname} has no address on the public internet`;
  }
  return syscall === 'connect' ? `the connection failed: ${code}` : reasonOf(error);
}

/** Of a failed lookup of a name. */
const LOOKUP_CODES = /^(ENOTFOUND|ENODATA|EAI_.*)$/;

function endOf(status: number, retryAfter: string): DeliveryEnd {
  if (status >= 200 && status < 300) return { result: 'delivered', status, error: null, retryAfterSeconds: 0 };
  if (status === GONE)
    return { ...failed(status, 'the receiver answered 410: it wants no more requests'), result: 'gone' };
  const redirect = status >= 300 && status < 400 ? ': redirects are not followed' : '';
  return { ...failed(status, `the receiver answered ${status}${redirect}`), retryAfterSeconds: secondsOf(retryAfter) };
}

/** Of a Retry-After header with a number of seconds; 0 for anything else. */
function secondsOf(retryAfter: string): number {
  return /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 0;
}

function failed(status: number | null, error: string): DeliveryEnd {
  return { result: 'failed', status, error: error.slice(0, 500), retryAfterSeconds: 0 };
}

/** The three headers of a delivery as in Standard Webhooks, with a signature by each secret. `seconds`: the time of this attempt since 1970. */
export function webhookHeaders(
  secrets: readonly Secret[],
  { messageId, seconds, body }: { readonly messageId: string; readonly seconds: number; readonly body: string },
): Readonly<Record<string, string>> {
  const id = `msg_${messageId}`;
  const signatures = secrets.map((secret) => {
    const bytes = Buffer.from(secret.reveal().slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}

/** A delivery that this daemon sends now. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly url: string;
  readonly body: string;
  readonly event: string;
  /** From 1 on. */
  readonly attempt: number;
  readonly claim: string;
  readonly keyMark: string;
  readonly secretVersion: number;
  /** The key of the previous secret, while that also signs. */
  readonly oldKeyMark: string | null;
}

/** Claims up to `limit` due deliveries of webhooks whose secrets come from one of the keys. A claim is void after `seconds`. */
export async function claimDeliveries(
  db: Queryable,
  keyMarks: readonly string[],
  limit: number,
  seconds: number,
): Promise<ClaimedDelivery[]> {
  return db.query<ClaimedDelivery & { readonly [column: string]: unknown }>(
    `select id::text, webhook_id as "webhookId", message_id as "messageId", url, body, event, attempt, claim, key_mark as "keyMark",
            secret_version as "secretVersion", old_key_mark as "oldKeyMark"
       from animus.claim_deliveries($1::text[], $2, $3)`,
    [keyMarks, limit, seconds],
  );
}

/** How sending ended. `released`: it was not sent, because the daemon stops, or because the claim was over before. */
export interface DeliveryEnd {
  readonly result: 'delivered' | 'failed' | 'gone' | 'released';
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The owner of the webhook sees it. */
  readonly error: string | null;
  /** The same for the log, with what the owner must not see. */
  readonly cause?: string;
  /** What the receiver asked for; 0: nothing. */
  readonly retryAfterSeconds: number;
}

/** Ends a claim; returns the new state, or null if the claim was void. */
export async function endDelivery(
  db: Queryable,
  { id, claim }: Pick<ClaimedDelivery, 'id' | 'claim'>,
  { result, status, error, retryAfterSeconds }: DeliveryEnd,
): Promise<Delivery['state'] | null> {
  const [row] = await db.query<{ state: Delivery['state'] | null }>(
    'select animus.end_delivery($1::bigint, $2::uuid, $3, $4::int, $5, $6::float8) as state',
    [id, claim, result, status, error === null ? null : toText(error), retryAfterSeconds],
  );
  return row!.state;
}

/** Deletes deliveries that arrived a day ago, dead ones older than `days` or too many, and those of removed webhooks; up to `limit` rows. */
export async function pruneDeliveries(db: Queryable, days: number, limit: number): Promise<number | null> {
  const [row] = await db.query<{ count: number | null }>(
    'select animus.prune_deliveries(make_interval(secs => $1::float8 * 86400), $2) as count',
    [days, limit],
  );
  return row!.count;
}
