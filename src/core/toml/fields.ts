/**
 * The kinds of values in TOML files. Each field has a description of what it expects, which messages, `--help` and the
 * docs share.
 */
import { z } from 'zod';
import { isPlainHttpUrl, parseListenAddress } from '../text/addresses.ts';
import { parseEgressHost } from '../text/egress-host.ts';
import { parseNetwork } from '../text/networks.ts';
import { parseWebTarget } from '../text/web-target.ts';

/** Completes the sentence "expected …" for each field. */
const expectations = z.registry<{ readonly expected: string }>();

/** A field with the description of what it expects. */
function expecting<Field extends z.ZodType>(expected: string, field: Field): Field {
  expectations.add(field, { expected });
  return field;
}

/** A duration in seconds; fractions are allowed. */
export function seconds(min: number, max: number) {
  return expecting(`seconds from ${min} to ${max}`, z.number().min(min).max(max));
}

/** A whole number. */
export function count(min: number, max: number) {
  return expecting(`a whole number from ${min} to ${max}`, z.int().min(min).max(max));
}

/** Any number within bounds. */
export function decimal(min: number, max: number) {
  return expecting(`a number from ${min} to ${max}`, z.number().min(min).max(max));
}

/** An amount of USD per million tokens. */
export function usdPerMillion() {
  return expecting('USD per million tokens, 0 or more', z.number().min(0).max(100_000));
}

/** true or false. */
export function flag() {
  return expecting('true or false', z.boolean());
}

/** true, false, or "ask": a person decides. */
export function flagOrAsk() {
  return expecting('true or false or "ask"', z.union([z.boolean(), z.literal('ask')]));
}

/** A text that is not empty. */
export function text(expected = 'a string') {
  return matching(/\S/, expected);
}

/** A text that matches a pattern. */
export function matching(pattern: RegExp, expected: string) {
  return expecting(expected, z.string().regex(pattern));
}

/** A text that passes a check. */
function checked(isSound: (value: string) => boolean, expected: string) {
  return expecting(expected, z.string().refine(isSound));
}

/** An http or https URL without user name and password, which would be a secret in a file. */
export function httpUrl() {
  return checked(isPlainHttpUrl, 'an http:// or https:// URL without user and password');
}

/** Where to listen: `HOST:PORT`, an IPv6 address in brackets, or `off`. */
export function listenAddress() {
  return checked(
    (value) => value === 'off' || parseListenAddress(value) !== null,
    'HOST:PORT with a port from 0 (a free one) to 65535, or "off"',
  );
}

/** A list of texts. */
export function texts(expected = 'a list of strings', max = 1000) {
  return tables(text(), expected, max);
}

/** A list of texts that match a pattern. */
export function textsMatching(pattern: RegExp, each: string, expected: string, max: number) {
  return tables(matching(pattern, each), expected, max);
}

/** A variable of the environment. */
export function variableName() {
  return matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');
}

/** Variables of the environment, also by their start. */
export function variableNames() {
  const each = 'the name of an environment variable, or its start followed by *';
  return textsMatching(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, each, 'a list of names of environment variables', 200);
}

/** The part of a model's name before the slash. */
export function providerName() {
  return matching(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'of 1 to 63 lower-case letters, digits, - and _');
}

export function headerName() {
  return matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'the name of an HTTP header');
}

/** Headers of requests, by name. */
export function requestHeaders() {
  return tableOf(headerName(), matching(/^[\x20-\x7e]*[\x21-\x7e]$/, 'ASCII text'));
}

/** Fields that are added to the body of each request, by name. */
export function requestFields() {
  return tableOf(matching(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'the name of a field of the request'), jsonValue());
}

/** A list of hosts and networks (`parseWebTarget`). */
export function webTargets() {
  const each = 'a host, an address or a network, with or without a port';
  const target = checked((text) => parseWebTarget(text) !== null, each);
  return tables(target, 'a list of hosts, addresses and networks', 1000);
}

/** A list of addresses and networks (`parseNetwork`). */
export function networks() {
  const each = 'an address such as "10.0.0.1", or a network such as "10.0.0.0/8"';
  return tables(
    checked((text) => parseNetwork(text) !== null, each),
    'a list of addresses and networks',
    1000,
  );
}

/** What a container may reach: nothing, or the hosts of a list (`parseEgressHost`). */
export function egress() {
  const hosts = z
    .union([z.literal('none'), z.array(z.string()).min(1).max(200)])
    .refine((value) => value === 'none' || value.every((host) => parseEgressHost(host) !== null));
  return expecting('"none" or a list of hosts, with or without a port', hosts);
}

/** A list of texts, each of which may be empty (arguments of a command). */
export function argumentList() {
  return tables(expecting('a string', z.string()), 'a list of strings', 1000);
}

/** One of a closed set of words. `hints`: what to write in place of other words, as the end of the message that refuses them. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  hints: Readonly<Record<string, string>> = {},
): z.ZodType<Value, Value> {
  const known = z.string().check((context) => {
    const { value } = context;
    if ((values as readonly string[]).includes(value)) return;
    context.issues.push({ code: 'custom', input: value, params: { hint: hints[value] ?? '' } });
  });
  const expected = values.map((value) => `"${value}"`).join(' or ');
  return expecting(expected, known as unknown as z.ZodType<Value, Value>);
}

/** A list of words of a closed set. */
export function listOf<const Value extends string>(values: readonly Value[]) {
  return tables(oneOf(values), `a list of ${values.map((value) => `"${value}"`).join(', ')}`, values.length);
}

/** A table with exactly these keys. */
export function table<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return expecting('a table', z.strictObject(shape));
}

/** A list of tables with the same keys. */
export function tables<Value extends z.core.SomeType>(each: Value, expected: string, max: number) {
  return expecting(expected, z.array(each).max(max));
}

/** A table whose keys the user chooses. */
export function tableOf<Value extends z.core.SomeType>(key: z.ZodType<string, string>, value: Value) {
  return expecting('a table', z.record(key, value));
}

/** A table with these keys and any others, whose values are all of one kind. */
export function tableWith<Shape extends z.core.$ZodLooseShape, Rest extends z.core.SomeType>(shape: Shape, rest: Rest) {
  return expecting('a table', z.object(shape).catchall(rest));
}

/** The description of what the field expects. */
export function expectationOf(schema: z.core.$ZodType): string {
  return expectations.get(unwrapField(schema))?.expected ?? 'another value';
}

/** The field without its default and optional wrappers. */
export function unwrapField(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  const wrapped = def.type === 'optional' || def.type === 'default' || def.type === 'prefault';
  return wrapped ? unwrapField((def as unknown as { innerType: z.core.$ZodType }).innerType) : schema;
}

/** The default of a field; undefined if it has none. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  const { def } = schema._zod;
  return def.type === 'default' ? (def as z.core.$ZodDefaultDef).defaultValue : undefined;
}

/** The keys of a table, with their fields; null for anything but a table with fixed keys. */
export function fieldsOf(schema: z.core.$ZodType): ReadonlyMap<string, z.core.$ZodType> | null {
  const { def } = unwrapField(schema)._zod;
  if (def.type !== 'object') return null;
  return new Map(Object.entries((def as z.core.$ZodObjectDef).shape));
}

/** The field at a path; null if the schema has none. */
export function fieldAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | null {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const { def } = unwrapField(schema)._zod;
  let next: z.core.$ZodType | undefined;
  if (def.type === 'object') next = fieldsOf(schema)?.get(String(key)) ?? restOf(def as z.core.$ZodObjectDef);
  if (def.type === 'record') next = (def as z.core.$ZodRecordDef).valueType;
  if (def.type === 'array') next = (def as z.core.$ZodArrayDef).element;
  return next === undefined ? null : fieldAt(next, rest);
}

/** The field of all other keys; undefined for a table with fixed keys. */
function restOf({ catchall }: z.core.$ZodObjectDef): z.core.$ZodType | undefined {
  return catchall?._zod.def.type === 'never' ? undefined : catchall;
}

/** Any value that JSON has too: no dates. */
export function jsonValue() {
  return expecting('a string, number, true, false, list or table', z.json());
}
