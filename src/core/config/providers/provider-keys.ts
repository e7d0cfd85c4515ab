/** The keys of `[providers.NAME]`. Which of them a kind has is checked by `provider-access.ts`. */
import type { z } from 'zod';
import {
  argumentList,
  flag,
  headerName,
  httpUrl,
  matching,
  oneOf,
  providerName,
  requestFields,
  requestHeaders,
  seconds,
  table,
  tableOf,
  text,
  variableName,
  variableNames,
} from '../../toml/fields.ts';
import { key } from '../../toml/keys.ts';
import { HTTP_PROVIDER_KINDS, WIRE_CHOICES } from './provider.ts';

const cloudName = (expected: string) => matching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, expected);

// biome-ignore format: a key per line
export const credentials = table({
  command: key(argumentList(), 'a program and its arguments that print the key, instead of `api_key_env` ([providers.md](providers.md#credentials-by-command))'),
  environment: key(variableNames().default([]), "variables of the daemon's environment that the command gets in addition to PATH, HOME, LANG, USER and LOGNAME; `AWS_*` means all variables with this prefix"),
  refresh_seconds: key(seconds(1, 86_400).default(900), 'how long a credential without an expiry is used'),
  timeout_seconds: key(seconds(1, 600).default(30), 'a command that takes longer is killed, and the call fails'),
});

// biome-ignore format: a key per line
export const timeouts = table({
  connect_seconds: key(seconds(0.1, 600).optional(), 'time-out of TCP and TLS; default 10'),
  first_byte_seconds: key(seconds(1, 86_400).optional(), "time-out from the request to the response's headers; default 120, without streaming 600"),
  total_seconds: key(seconds(1, 86_400).optional(), 'time-out of a call with all its retries; default 1200'),
});

// biome-ignore format: a key per line
const providerTable = table({
  kind: key(oneOf([...HTTP_PROVIDER_KINDS, 'scripted']), 'its address, login and wire format ([providers.md](providers.md)); `scripted` plays a file instead of a model'),
  base_url: key(httpUrl().optional(), 'its base URL; none: the address of its kind. `azure` needs one'),
  api_key_env: key(variableName().optional(), 'the variable that contains its key, or with `_FILE` appended, the path of a file that does; none: requests carry no key'),
  key_header: key(headerName().optional(), 'the header that carries the key; none: the one of its kind. `authorization` gets `Bearer` before the key'),
  credentials: credentials.optional(),
  region: key(cloudName('the name of an AWS region').optional(), 'for `bedrock`; none: `AWS_REGION` or `AWS_DEFAULT_REGION`'),
  project: key(cloudName('the id of a Google Cloud project').optional(), 'required for `vertex`'),
  location: key(cloudName('a location of Vertex AI').optional(), 'required for `vertex`: a region, `global`, `us` or `eu`'),
  api_version: key(cloudName('an API version of Azure').optional(), 'for `azure`: deployments have their own paths, as in this API version; none: the v1 API'),
  wire: key(oneOf(WIRE_CHOICES).optional(), "the wire format of its models, for kinds `openai` and `azure`: Chat Completions or [Responses](models.md#responses); none: the catalogue's for each model, else `chat`"),
  headers: key(requestHeaders().optional(), 'a header of every request; it overrides one that animus sets. Secrets are refused here'),
  header_env: key(tableOf(headerName(), variableName()).optional(), 'a header whose value is in that variable, or with `_FILE` appended, in a file; not set: the header is not sent'),
  options: key(requestFields().optional(), 'a field that is added to the body of every request'),
  stream: key(flag().optional(), 'false: answers are not streamed; default true'),
  timeouts: timeouts.optional(),
  max_retry_after_seconds: key(seconds(1, 86_400).optional(), 'the longest pause that the provider may ask for with `retry-after`; the message of the failure says what was asked; none: 600'),
  proxy: key(httpUrl().optional(), 'an HTTP proxy for all requests to this provider'),
  proxy_env: key(variableName().optional(), 'the variable that contains the URL of the proxy, for example HTTPS_PROXY; its user and password are sent to the proxy'),
  ca_file: key(text('the path of a PEM file').optional(), 'certificate authorities that are trusted in addition to the usual ones; relative to this file'),
  script: key(text('the path of a TOML script').optional(), 'required for `scripted`: the file of answers and tool calls to play; relative to this file'),
});

/** `[providers]`. */
export const providerTables = tableOf(providerName(), providerTable).prefault({});

/** `[providers.NAME]` as written, with defaults. */
export type ProviderTable = z.output<typeof providerTable>;
