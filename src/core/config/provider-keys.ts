/** The keys of `[providers.NAME]` that say how a provider is reached and logged in to. docs/config.md lists them too. */
import { z } from 'zod';
import {
  argumentList,
  flag,
  httpUrl,
  jsonValue,
  matching,
  oneOf,
  seconds,
  table,
  tableOf,
  text,
  textsMatching,
} from '../toml/fields.ts';
import { HTTP_PROVIDER_KINDS, WIRE_CHOICES } from './config.ts';

/** A variable of the environment that holds a secret. */
export const variableName = matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');
const headerName = matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'the name of an HTTP header');
const cloudName = (expected: string) => matching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, expected);

/** Headers of requests, by name. */
export const headersKey = tableOf(headerName, matching(/^[\x20-\x7e]*[\x21-\x7e]$/, 'a text of ASCII characters'));

/** Fields that are added to the body of each request, by name. */
export const optionsKey = tableOf(
  matching(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'the name of a field of the request'),
  jsonValue(),
);

const credentials = table({
  command: argumentList(),
  environment: textsMatching(
    /^[A-Za-z_][A-Za-z0-9_]*\*?$/,
    'the name of an environment variable, or its start followed by *',
    'a list of names of environment variables',
    200,
  ).default([]),
  refresh_seconds: seconds(1, 86_400).default(900),
  timeout_seconds: seconds(1, 600).default(30),
});

/** `[providers.NAME]`. Which keys a kind has is checked by `provider-settings.ts`. */
export const providerTable = table({
  kind: oneOf([...HTTP_PROVIDER_KINDS, 'scripted']),
  base_url: httpUrl().optional(),
  api_key_env: variableName.optional(),
  key_header: headerName.optional(),
  credentials: credentials.optional(),
  region: cloudName('the name of an AWS region').optional(),
  project: cloudName('the id of a Google Cloud project').optional(),
  location: cloudName('a location of Vertex AI').optional(),
  api_version: cloudName('an API version of Azure').optional(),
  wire: oneOf([...WIRE_CHOICES]).optional(),
  headers: headersKey.optional(),
  header_env: tableOf(headerName, variableName).optional(),
  options: optionsKey.optional(),
  stream: flag().optional(),
  timeouts: table({
    connect_seconds: seconds(0.1, 600).optional(),
    first_byte_seconds: seconds(1, 86_400).optional(),
    total_seconds: seconds(1, 86_400).optional(),
  }).optional(),
  max_retry_after_seconds: seconds(1, 86_400).optional(),
  proxy: httpUrl().optional(),
  proxy_env: variableName.optional(),
  ca_file: text('the path of a PEM file').optional(),
  script: text('the path of a TOML script').optional(),
});

/** `[providers.NAME]` as written, with defaults. */
export type ProviderTable = z.output<typeof providerTable>;
