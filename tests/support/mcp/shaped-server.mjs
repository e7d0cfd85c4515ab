// @ts-nocheck: it sends what no type allows.
/**
 * An MCP server that answers with messages of any shape, over stdio or (`http PORT`) over HTTP. Plain JavaScript without packages. The call of its
 * tool `send` names a shape of RESULTS; the variable LIST names one of LISTS.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const MIB = 2 ** 20;
const many = (n, each) => Array.from({ length: n }, (_, i) => each(i)).join(',');
const keys = (n, name = 'k') => `{${many(n, (i) => `"${name}${i}":${i}`)}}`;
const deep = (n) => '['.repeat(n) + ']'.repeat(n);
const content = (parts) => `{"content":[${parts}]}`;
const structured = (value) => `{"content":[],"structuredContent":{"a":${value}}}`;
const text = (value) => content(`{"type":"text","text":"${value}"}`);

/** JSON of a result, by name. */
export const RESULTS = {
  '700,000 parts': () => content(many(700_000, () => '{}')),
  '10,000 parts of text': () => content(many(10_000, () => '{"type":"text","text":"a"}')),
  '900,000 keys': () => structured(keys(900_000)),
  '74,000 keys in ten objects': () => structured(`[${many(10, (i) => keys(7_400, `k${i}_`))}]`),
  '36,000 objects of one key': () => structured(`[${many(4, (j) => `[${many(9_000, (i) => `{"k${j}_${i}":1}`)}]`)}]`),
  'a million levels': () => structured(deep(1_000_000)),
  '190 levels': () => structured(deep(190)),
  '10,000 keys of _meta': () => `{"content":[],"_meta":${keys(10_000)}}`,
  '10,000 keys of the result': () => keys(10_000),
  'an image of 9 MiB': () => content(`{"type":"image","mimeType":"image/png","data":"${'A'.repeat(9 * MIB)}"}`),
  '9 MiB of line ends': () => text('\\n'.repeat(4.5 * MIB)),
  '9 MiB of escapes': () => text('\\u0000'.repeat(1.5 * MIB)),
  'a type of 9 MiB': () => content(`{"type":"${'x'.repeat(9 * MIB)}"}`),
  'a small text': () => text('x'),
};

/** JSON of an error, by name. */
const ERRORS = {
  'an error of 9 MiB': () => `{"code":-32603,"message":"${'x'.repeat(9 * MIB)}"}`,
  'an error with 74,000 keys': () =>
    `{"code":-32603,"message":"no","data":[${many(10, (i) => keys(7_400, `k${i}_`))}]}`,
};

const note = (method, params) => `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
const ping = (id) => `{"jsonrpc":"2.0","method":"ping","id":"${id}"}`;

/** Messages that come before the answer, by name: lists of JSON. */
const FLOODS = {
  '6,000 notes of progress': () =>
    Array.from({ length: 6000 }, (_, i) => note('notifications/progress', `{"progressToken":2,"progress":${i}}`)),
  'log messages of 40 MiB': () =>
    Array(10).fill(note('notifications/message', `{"level":"info","data":"${'x'.repeat(4 * MIB)}"}`)),
  'ten log messages of 74,000 keys': () =>
    Array(10).fill(
      note('notifications/message', `{"level":"info","data":[${many(10, (i) => keys(7_400, `k${i}_`))}]}`),
    ),
  '10,000 messages that are none': () => Array(900).fill('{"a":1}'),
  'twenty pings with ids of 4 MiB': () => Array.from({ length: 20 }, (_, i) => ping(`${i}${'x'.repeat(4 * MIB)}`)),
  '6,000 pings': () => Array.from({ length: 6000 }, (_, i) => ping(`p${i}`)),
};

export const SHAPES = [...Object.keys(RESULTS), ...Object.keys(ERRORS), ...Object.keys(FLOODS)];

const schema = (n, name = 'p') =>
  `{"type":"object","properties":{${many(n, (i) => `"${name}${i}":{"type":"string","description":"property ${i}"}`)}}}`;
const tool = (name, inputSchema, rest = '') => `{"name":"${name}","inputSchema":${inputSchema}${rest}}`;

/** JSON of a list of tools, by name. */
export const LISTS = {
  '150 tools of 60 properties': () => many(150, (i) => tool(`t${i}`, schema(60))),
  '900 tools of 60 properties': () => many(900, (i) => tool(`t${i}`, schema(60))),
  '175,000 keys of their own': () => many(88, (i) => tool(`t${i}`, '{}', `,"outputSchema":${keys(1990, `k${i}_`)}`)),
  '700,000 tools': () => many(700_000, () => '{}'),
  'a description of 9 MiB': () => tool('t', schema(1), `,"description":"${'\\n'.repeat(4.5 * MIB)}"`),
  'a name of 9 MiB': () => tool('\\u202e'.repeat(1.5 * MIB), schema(1)),
  'a million levels': () => tool('t', `{"type":"object","not":${deep(1_000_000)}}`),
  'a schema of 9 MiB': () => tool('t', `{"type":"object","description":"${'x'.repeat(9 * MIB)}"}`),
  'schemas that take long to compile': () => many(3, (i) => tool(`t${i}`, SLOW)),
};

/** Its references are written out a million times. */
const SLOW = `{"type":"object","$defs":{"n":${schema(40)}},"properties":{"a":{"allOf":[${many(1000, () => '{"$ref":"#/$defs/n"}')}]}}}`;

const SEND = tool('send', '{"type":"object"}');

/** All messages with which it answers, in order. */
function answers({ id, method, params }) {
  const result = (json) => [`{"jsonrpc":"2.0","id":${id},"result":${json}}`];
  if (method === 'initialize')
    return result(
      `{"protocolVersion":"${params.protocolVersion}","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
    );
  if (method === 'tools/list') return result(`{"tools":[${LISTS[process.env['LIST']]?.() ?? SEND}]}`);
  if (method !== 'tools/call') return result('{}');
  const { shape } = params.arguments;
  if (ERRORS[shape]) return [`{"jsonrpc":"2.0","id":${id},"error":${ERRORS[shape]()}}`];
  if (FLOODS[shape]) return [...FLOODS[shape](), ...result(text('after the flood'))];
  return result(RESULTS[shape]());
}

function overStdio() {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const asked = JSON.parse(line);
    if (asked.id === undefined || asked.method === undefined) return;
    // What is answered to a flood is never read.
    if (FLOODS[asked.params?.arguments?.shape]) process.stdin.pause();
    for (const message of answers(asked)) process.stdout.write(`${message}\n`);
  });
}

function overHttp(port) {
  const server = createServer((request, response) => void respond(request, response));
  server.listen(port, '127.0.0.1', () => process.stdout.write('listening\n'));
}

async function respond(request, response) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  const asked = JSON.parse(body);
  // Answers to its pings are never answered.
  if (asked.method === undefined) return undefined;
  if (asked.id === undefined) return response.writeHead(202).end();
  const messages = answers(asked);
  if (messages.length === 1 && !asked.params?.arguments?.events)
    return response.writeHead(200, { 'content-type': 'application/json' }).end(messages[0]);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const message of messages) response.write(`data: ${message}\n\n`);
  return response.end();
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'http') overHttp(Number(process.argv[3]));
  else overStdio();
}
