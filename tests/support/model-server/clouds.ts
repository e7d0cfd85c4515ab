/** What the clouds put in front of a vendor's API: other paths and logins, checked strictly, and other streams. */
import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { RecordedRequest, Reply } from './server.ts';

type Json = Record<string, unknown>;

/** A request that the cloud itself refuses. */
export class CloudRefusal {
  readonly status: number;
  readonly message: string;
  constructor(status: number, message: string) {
    this.status = status;
    this.message = message;
  }
}

/** A cloud: makes the vendor's own request of one that arrived, and its own reply of the vendor's. */
export interface CloudGate {
  open(request: RecordedRequest): RecordedRequest | CloudRefusal;
  wrap(reply: Reply, request: RecordedRequest): Reply;
}

/** The vendor itself. */
export const NO_CLOUD: CloudGate = { open: (request) => request, wrap: (reply) => reply };

/** Azure with this key or token: per deployment and API version, or the v1 API. */
export function azureGate(
  login: { readonly key?: string; readonly token?: string },
  apiVersion: string | null,
): CloudGate {
  return {
    wrap: (reply) => reply,
    open(request) {
      const { authorization, 'api-key': key } = request.headers;
      const known = login.key !== undefined ? key === login.key : authorization === `Bearer ${login.token}`;
      if (!known || (key !== undefined && authorization !== undefined))
        return new CloudRefusal(401, 'Access denied due to invalid subscription key or wrong API endpoint.');
      const url = new URL(request.path, 'http://azure');
      const deployed = /^\/openai\/deployments\/([^/]+)(\/chat\/completions|\/embeddings)$/.exec(url.pathname);
      const v1 = /^\/openai\/v1(\/chat\/completions|\/embeddings)$/.exec(url.pathname);
      const path = apiVersion === null ? v1?.[1] : deployed?.[2];
      if (path === undefined || url.searchParams.get('api-version') !== apiVersion)
        return new CloudRefusal(404, 'Resource not found');
      if (deployed?.[1] === 'missing')
        return new CloudRefusal(404, 'The API deployment for this resource does not exist.');
      return { ...request, path: `/v1${path}`, headers: { ...request.headers, authorization: 'Bearer checked' } };
    },
  };
}

/** Vertex AI with this access token, for one project and location. */
export function vertexGate(
  token: () => string,
  place: { readonly project: string; readonly location: string },
): CloudGate {
  const base = `/v1/projects/${place.project}/locations/${place.location}`;
  return {
    wrap: (reply) => reply,
    open(request) {
      const { headers, path, json } = request;
      if (headers.authorization !== `Bearer ${token()}` || headers['x-api-key'] !== undefined)
        return new CloudRefusal(401, 'Request had invalid authentication credentials.');
      if (path === `${base}/endpoints/openapi/chat/completions`) {
        if (!String(json?.['model']).includes('/'))
          return new CloudRefusal(400, 'Invalid model: expected publisher/model.');
        return { ...request, path: '/v1/chat/completions' };
      }
      const [, model, verb] =
        /^(?:\/publishers\/anthropic\/models\/)([^/:]+):(streamRawPredict|rawPredict)$/.exec(path.replace(base, '')) ??
        [];
      if (model === undefined) return new CloudRefusal(404, 'Not found');
      const { anthropic_version: version, ...body } = json ?? {};
      if (version !== 'vertex-2023-10-16') return new CloudRefusal(400, 'anthropic_version: Field required');
      if ('model' in body) return new CloudRefusal(400, 'model: Extra inputs are not permitted');
      if ((body['stream'] === true) !== (verb === 'streamRawPredict'))
        return new CloudRefusal(400, 'stream does not fit the method');
      return asAnthropic(request, { ...body, model: decodeURIComponent(model) });
    },
  };
}

/** Keys whose signature Bedrock accepts. */
export interface BedrockLogin {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** Bedrock's runtime with AWS keys (Signature Version 4) or with an API key. Its streams are event-stream frames. */
export function bedrockGate(login: () => BedrockLogin | { readonly apiKey: string }): CloudGate {
  return {
    open(request) {
      const known = login();
      const refusal =
        'apiKey' in known
          ? request.headers.authorization === `Bearer ${known.apiKey}`
            ? null
            : 'The API key you provided is invalid'
          : signatureProblem(request, known);
      if (refusal !== null) return new CloudRefusal(403, refusal);
      const [, model = '', verb] = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(request.path) ?? [];
      if (verb === undefined) return new CloudRefusal(404, 'UnknownOperationException');
      const { anthropic_version: version, anthropic_beta: betas, ...body } = request.json ?? {};
      if (version !== 'bedrock-2023-05-31') return new CloudRefusal(400, 'anthropic_version: Field required');
      if (betas !== undefined && !Array.isArray(betas)) return new CloudRefusal(400, 'anthropic_beta: must be a list');
      for (const key of ['model', 'stream']) {
        if (key in body) return new CloudRefusal(400, `${key}: Extra inputs are not permitted`);
      }
      return asAnthropic(request, { ...body, model: decodeURIComponent(model), stream: verb !== 'invoke' });
    },
    wrap(reply, { path }) {
      if (reply.status !== 200) {
        const { error } = JSON.parse(String(reply.parts[0])) as { error: { message: string } };
        return {
          ...reply,
          headers: { 'content-type': 'application/json' },
          parts: [JSON.stringify({ message: error.message })],
        };
      }
      if (!path.endsWith('-stream')) return reply;
      return {
        ...reply,
        headers: { 'content-type': 'application/vnd.amazon.eventstream' },
        parts: reply.parts.map((part) => chunkFrame(/^data: (.*)$/m.exec(String(part))?.[1] ?? '')),
      };
    },
  };
}

/** One event of a model, as Bedrock frames it. */
export function chunkFrame(event: string): Buffer {
  const payload = JSON.stringify({ bytes: Buffer.from(event).toString('base64'), p: 'abcdefgh' });
  return frame({ ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' }, payload);
}

/** A frame of AWS's event stream encoding with string headers. */
export function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const block = Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      return [Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)];
    }),
  );
  const body = Buffer.from(payload);
  const head = Buffer.alloc(12);
  head.writeUInt32BE(12 + block.length + body.length + 4, 0);
  head.writeUInt32BE(block.length, 4);
  head.writeUInt32BE(crc32(head.subarray(0, 8)), 8);
  const whole = Buffer.concat([head, block, body]);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(whole));
  return Buffer.concat([whole, tail]);
}

function asAnthropic(request: RecordedRequest, json: Json): RecordedRequest {
  const headers = { ...request.headers, 'x-api-key': 'checked', 'anthropic-version': '2023-06-01' };
  return { ...request, path: '/v1/messages', headers, json };
}

/** Signature Version 4, computed from the request as it arrived ("Create a signed AWS API request" in AWS's IAM guide). */
function signatureProblem({ method, path, headers, body }: RecordedRequest, login: BedrockLogin): string | null {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, id, day = '', region = '', service = '', names = '', signature] =
    form.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined) return 'Missing Authentication Token';
  if (id !== login.accessKeyId) return 'The security token included in the request is invalid.';
  if (region !== login.region || service !== 'bedrock') return 'Credential should be scoped to a valid region.';
  if ((headers['x-amz-security-token'] ?? null) !== login.sessionToken)
    return 'The security token included in the request is expired';
  const date = String(headers['x-amz-date']);
  if (!date.startsWith(day)) return 'Signature expired';
  const signed = names.split(';');
  for (const needed of ['host', 'x-amz-date', ...(login.sessionToken === null ? [] : ['x-amz-security-token'])]) {
    if (!signed.includes(needed)) return `${needed} must be signed`;
  }
  const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const canonical = [
    method,
    path.split('/').map(encodeStrictly).join('/'),
    '',
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    hash(body),
  ].join('\n');
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const key = [day, region, 'bedrock', 'aws4_request'].reduce<Buffer>(
    hmac,
    Buffer.from(`AWS4${login.secretAccessKey}`),
  );
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, hash(canonical)].join('\n')).toString('hex');
  return expected === signature
    ? null
    : 'The request signature we calculated does not match the signature you provided.';
}

/** The path is encoded once more than it was sent. */
function encodeStrictly(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
