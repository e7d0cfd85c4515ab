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

/** A duration in seconds; fractions are allowed. */
export function seconds(min: number, max: number) {
  return z
    .number()
    .min(min)
    .max(max)
    .register(expectations, { expected: `seconds from ${min} to ${max}` });
}

/** A whole number. */
export function count(min: number, max: number) {
  return z
    .int()
    .min(min)
    .max(max)
    .register(expectations, { expected: `a whole number from ${min} to ${max}` });
}

/** Any number within bounds. */
export function decimal(min: number, max: number) {
  return z
    .number()
    .min(min)
    .max(max)
    .register(expectations, { expected: `a number from ${min} to ${max}` });
}

/** An amount of USD per million tokens. */
export function usdPerMillion() {
  return z.number().min(0).max(100_000).register(expectations, { expected: 'USD per million tokens, 0 or more' });
}

/** true or false. */
export function flag() {
  return z.boolean().register(expectations, { expected: 'true or false' });
}

/** true, false, or "ask": a person decides. */
export function flagOrAsk() {
  return z.union([z.boolean(), z.literal('ask')]).register(expectations, { expected: 'true or false or "ask"' });
}

/** A text that is not empty. */
export function text(expected = 'a string') {
  return z.string().regex(/\S/).register(expectations, { expected });
}

/** A text that matches a pattern. */
export function matching(pattern: RegExp, expected: string) {
  return z.string().regex(pattern).register(expectations, { expected });
}

/** An http or https URL without user name and password, which would be a secret in a file. */
export function httpUrl() {
  const expected = 'an http:// or https:// URL without user and password';
  return z.string().refine(isPlainHttpUrl).register(expectations, { expected });
}

/** Where to listen: `HOST:PORT`, an IPv6 address in brackets, or `off`. */
export function listenAddress() {
  const expected = 'HOST:PORT with a port from 0 (a free one) to 65535, or "off"';
  return z.string().refine(isListenAddress).register(expectations, { expected });
}

function isListenAddress(value: string): boolean {
  return value === 'off' || parseListenAddress(value) !== null;
}

/** A list of texts. */
export function texts(expected = 'a list of strings', max = 1000) {
  return z.array(text('a string')).max(max).register(expectations, { expected });
}

/** A list of texts that match a pattern. */
export function textsMatching(pattern: RegExp, each: string, expected: string, max: number) {
  return z.array(matching(pattern, each)).max(max).register(expectations, { expected });
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
  return tableOf(headerName(), matching(/^[\x20-\x7e]*[\x21-\x7e]$/, 'a text of ASCII characters'));
}

/** Fields that are added to the body of each request, by name. */
export function requestFields() {
  return tableOf(matching(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'the name of a field of the request'), jsonValue());
}

/** A list of hosts and networks (`parseWebTarget`). */
export function webTargets() {
  const each = 'a host, an address or a network, with a port or without one';
  const target = z
    .string()
    .refine((text) => parseWebTarget(text) !== null)
    .register(expectations, { expected: each });
  return z.array(target).max(1000).register(expectations, { expected: 'a list of hosts, addresses and networks' });
}

/** A list of addresses and networks (`parseNetwork`). */
export function networks() {
  const network = z
    .string()
    .refine((text) => parseNetwork(text) !== null)
    .register(expectations, { expected: 'an address such as "10.0.0.1", or a network such as "10.0.0.0/8"' });
  return z.array(network).max(1000).register(expectations, { expected: 'a list of addresses and networks' });
}

/** What a container may reach: nothing, or the hosts of a list (`parseEgressHost`). */
export function egress() {
  return z
    .union([z.literal('none'), z.array(z.string()).min(1).max(200)])
    .refine((value) => value === 'none' || value.every((host) => parseEgressHost(host) !== null))
    .register(expectations, { expected: '"none" or a list of hosts, with a port or without one' });
}

/** A list of texts, each of which may be empty (arguments of a command). */
export function argumentList() {
  const argument = z.string().register(expectations, { expected: 'a string' });
  return z.array(argument).max(1000).register(expectations, { expected: 'a list of strings' });
}

/** One of a closed set of words. `hints`: what to write in place of other words, as the end of the message that refuses them. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  hints: Readonly<Record<string, string>> = {},
): z.ZodType<Value, Value> {
  const expected = values.map((value) => `"${value}"`).join(' or ');
  const known = z.string().check((context) => {
    const { value } = context;
    if ((values as readonly string[]).includes(value)) return;
    context.issues.push({ code: 'custom', input: value, params: { hint: hints[value] ?? '' } });
  });
  return (known as unknown as z.ZodType<Value, Value>).register(expectations, { expected });
}

/** A list of words of a closed set. */
export function listOf<const Value extends string>(values: readonly Value[]) {
  const expected = `a list of ${values.map((value) => `"${value}"`).join(', ')}`;
  return z.array(oneOf(values)).max(values.length).register(expectations, { expected });
}

/** A table with exactly these keys. */
export function table<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).register(expectations, { expected: 'a table' });
}

/** A list of tables with the same keys. */
export function tables<Value extends z.core.SomeType>(each: Value, expected: string, max: number) {
  return z.array(each).max(max).register(expectations, { expected });
}

/** A table whose keys the user chooses. */
export function tableOf<Value extends z.core.SomeType>(key: z.ZodType<string, string>, value: Value) {
  return z.record(key, value).register(expectations, { expected: 'a table' });
}

/** A table with these keys and any others, whose values are all of one kind. */
export function tableWith<Shape extends z.core.$ZodLooseShape, Rest extends z.core.SomeType>(shape: Shape, rest: Rest) {
  return z.object(shape).catchall(rest).register(expectations, { expected: 'a table' });
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
  return z.json().register(expectations, { expected: 'a string, number, true, false, list or table' });
}
