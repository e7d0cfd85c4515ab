import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { FailureKind } from '../client.ts';
import type { Sign } from '../transport/login.ts';
import { saysContextOverflow } from '../wire/context-overflow.ts';
import { type Fault, fault } from '../wire/fault.ts';
import { asObject, asString, parseJson } from '../wire/loose-json.ts';
import { kindOfStatus } from '../wire/status-kind.ts';
import { type Wire, type WireError, whereOf } from '../wire/wire.ts';
import { bedrockFraming } from './event-stream.ts';

/** Anthropic's Messages at Amazon Bedrock (InvokeModel): the model is in the path, its version in the body. */
export function bedrockWire(wire: Wire): Wire {
  return {
    ...wire,
    path: (model, stream) => `/model/${encodeURIComponent(model)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`,
    // The list is at another host, and does not say which models the account may use.
    modelsPath: null,
    headers: (key) => ({ accept: 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) }),
    body(request, stream) {
      const { model: _, stream: __, ...body } = wire.body(request, stream);
      const betas = wire.headers(null, request)['anthropic-beta'];
      return {
        anthropic_version: 'bedrock-2023-05-31',
        ...(betas !== undefined && { anthropic_beta: betas.split(',') }),
        ...body,
      };
    },
    framing: () => bedrockFraming(bedrockFault),
    classify: bedrockFault,
  };
}

/** Signs with AWS Signature Version 4, unless the credential is a Bedrock API key. */
export function bedrockSign(region: string, clock: Clock): Sign {
  return async ({ method, url, headers, body }, { key, aws }) => {
    if (key !== null) return headers;
    if (!aws) return fault('credentials', 'no AWS keys and no Bedrock API key are set');
    const signer = new AwsV4Signer({
      accessKeyId: aws.accessKeyId,
      secretAccessKey: aws.secretAccessKey,
      ...(aws.sessionToken !== null && { sessionToken: aws.sessionToken }),
      method,
      url: url.href,
      headers: { ...headers },
      ...(body !== null && { body }),
      service: 'bedrock',
      region,
      datetime: new Date(clock.nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    const signature = await signer.sign();
    return Object.fromEntries(signature.headers);
  };
}

/** Kinds by what the message says: the status alone mixes models, quotas and requests. */
const SAID: readonly (readonly [FailureKind, RegExp])[] = [
  ['quota', /too many tokens per day|service quota|payment instrument|billing/i],
  [
    'model_not_found',
    /model identifier is invalid|on-demand throughput|access to the model|could not resolve the foundation model|end of its life|model use case/i,
  ],
];

/** Classifies an error of Bedrock: by HTTP status, or by the name of an exception in a stream. */
export function bedrockFault(arrived: WireError): Fault {
  const { status, body } = arrived;
  const envelope = asObject(parseJson(body));
  const message = asString(envelope?.['message']) ?? asString(envelope?.['Message']) ?? (body.trim() || 'no message');
  return fault(kindOf(status, message), `${whereOf(arrived)}: ${message}`, { httpStatus: status });
}

function kindOf(status: number | null, message: string): FailureKind {
  const said = SAID.find(([, pattern]) => pattern.test(message))?.[0];
  if (said !== undefined && status !== null && status < 500) return said;
  if (status === 404) return 'model_not_found';
  // ModelErrorException: the model failed on a valid request.
  if (status === 424) return 'overloaded';
  const kind = kindOfStatus(status);
  return kind === 'invalid_request' && saysContextOverflow(message) ? 'context_overflow' : kind;
}
