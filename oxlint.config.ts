/** The linter's rules, and the walls of the house: which folder and which room may import which (AGENTS.md, «The map»). */
import { readdirSync } from 'node:fs';
import { defineConfig } from 'oxlint';

/**
 * Folder → its rooms, from left to right: a room imports rooms to its right. Rooms in one list do not know each other.
 * `*` stands for the files beside the rooms, where they are above all rooms, and `…` for all rooms that no list names: a new one needs no line here.
 */
const TABLE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  src: [
    ['*'],
    ['cli', 'console', 'http'],
    ['features'],
    ['terminal'],
    ['operations'],
    ['daemon'],
    ['engage'],
    ['tools'],
    ['store', 'llm', 'sandbox', 'catalog'],
    ['process', 'schemas'],
    ['telemetry'],
    ['client', 'core'],
  ],
  'src/cli': [['*'], ['demo', 'doctor', 'faculty', 'shell'], ['…']],
  'src/cli/demo': [['*'], ['week']],
  // Parts do not know each other.
  'src/features': [['…']],
  'src/features/skills': [['folders']],
  'src/terminal': [['command'], ['events'], ['view']],
  'src/features/operate': [['*'], ['models', 'status']],
  'src/features/work': [['terminal'], ['*']],
  'src/features/conversations': [['*'], ['commands'], ['session'], ['console'], ['operations'], ['store']],
  'src/cli/doctor': [['database', 'site']],
  'src/cli/work': [['*'], ['result']],
  'src/http': [
    ['*'],
    ['api'],
    ['console'],
    ['door', 'mcp'],
    ['artifacts', 'conversations', 'sockets', 'streams', 'work'],
    ['route'],
    ['events'],
    ['login'],
  ],
  'src/daemon': [
    ['*'],
    ['presence', 'reload', 'timers', 'watchdog'],
    ['control'],
    ['findings', 'focus'],
    ['embeddings'],
    ['awareness', 'hooks', 'kept', 'models', 'skills'],
    ['worktrees'],
    ['workspace'],
    ['git'],
    ['guard', 'parts'],
  ],
  'src/daemon/focus': [['*'], ['end', 'engage'], ['orient'], ['scope']],
  'src/engage': [['*'], ['context'], ['verdict'], ['turn'], ['calls'], ['events', 'prompt']],
  'src/engage/calls': [['nested']],
  'src/tools': [['skills'], ['…']],
  'src/tools/skills': [['writing']],
  'src/tools/files': [['patch', 'search']],
  'src/tools/web': [['search']],
  'src/catalog': [['*'], ['config', 'reading', 'skills'], ['faculty']],
  'src/store/events': [['live'], ['*']],
  'src/store/work': [['claimed'], ['*']],
  'src/store/views': [['visible'], ['*']],
  'src/store/migrations': [['*'], ['damage']],
  'src/store': [
    ['open'],
    ['embedded'],
    ['migrations'],
    ['views'],
    ['conversations'],
    ['transcript'],
    ['events', 'memory', 'people', 'skills', 'work'],
    ['postgres'],
    ['sql'],
  ],
  'src/llm': [['embeddings'], ['…'], ['openai'], ['transport'], ['wire'], ['media'], ['models', 'schema']],
  'src/sandbox': [['bash', 'egress', 'execution', 'sdk'], ['endpoint'], ['host'], ['keeper'], ['engine']],
  'src/process': [['host'], ['supervisor'], ['limits'], ['trace'], ['runners']],
  'src/client': [['socket'], ['api']],
  'src/console': [['*'], ['pages'], ['ui'], ['model'], ['words']],
  'src/console/ui': [['ask'], ['*']],
  // Pages do not know each other.
  'src/console/pages': [['…']],
  'src/console/pages/agents': [['*'], ['faculties', 'memories', 'skills']],
  'src/console/pages/item': [['*'], ['tabs', 'timeline'], ['record']],
  'src/console/pages/operate': [['*'], ['people', 'webhooks']],
  'src/core/permissions': [['*'], ['command', 'fields'], ['text']],
  'src/core/config': [['*'], ['sections'], ['providers'], ['source']],
  'src/core': [['config'], ['permissions', 'toml', 'work'], ['errors'], ['files', 'lifecycle', 'secrets', 'text']],
};

const HOUSE = Object.fromEntries(
  Object.entries(TABLE).map(([folder, layers]) => {
    const named = new Set(layers.flat());
    const others = foldersOf(folder).filter((room) => !named.has(room));
    return [folder, layers.map((layer) => layer.flatMap((room) => (room === '…' ? others : [room])))];
  }),
);

/** Folders that hold no code of ours. */
const DATA = new Set(['src/cli/demo/workspace', 'src/console/public', 'src/console/styles']);
/** Folders that may talk to Postgres. */
const TALKS_TO_POSTGRES = 'src/store';

interface Pattern {
  readonly regex: string;
  readonly message: string;
}

/** What files may not import that stand `ups` folders below `folder`, in `room`: rooms to its left, its neighbours, files above. */
function forbidden(folder: string, room: string, ups: number): Pattern[] {
  const layers = HOUSE[folder] ?? [];
  const names = layers.slice(0, layers.findIndex((layer) => layer.includes(room)) + 1).flat();
  const rooms = names.filter((name) => name !== '*' && name !== room);
  const up = '\\.\\./'.repeat(ups);
  const message = `${folder}/${room} imports only what stands to its right in HOUSE (oxlint.config.ts)`;
  return [
    ...(rooms.length > 0 ? [{ regex: `^${up}(${rooms.join('|')})/`, message }] : []),
    ...(names.includes('*') ? [{ regex: `^${up}[^/]+\\.ts$`, message }] : []),
  ];
}

interface Restricted {
  readonly patterns: Pattern[];
}

const POSTGRES: Pattern = {
  regex: '^(pg|pgmq-js|pgvector)(/|$)|^@electric-sql/',
  message: `only ${TALKS_TO_POSTGRES} talks to Postgres`,
};

/** It runs in browsers, and in programs that have nothing else of animus. */
const CLIENT = 'src/client';
const OUTSIDE_CLIENT: Pattern = {
  regex: '^(\\.\\./|@|[a-df-z])',
  message: `${CLIENT} imports only its own files and eventsource-parser`,
};
/** It runs in browsers, and everything that it shows comes through the client. */
const CONSOLE = 'src/console';
/** Tables of data, which a script writes. */
const GENERATED = ['src/client/api/*.ts'];

/** One override per room, for the files that stand right in it. */
function walls() {
  return Object.entries(HOUSE).flatMap(([folder, layers]) => {
    const rooms = layers.flat().filter((room) => room !== '*');
    assertComplete(folder, rooms);
    return rooms.map((room) => ({
      files: [`${folder}/${room}/*.{ts,tsx}`],
      rules: {
        'no-restricted-imports': ['error', { patterns: patternsOf(`${folder}/${room}`) }] as ['error', Restricted],
      },
    }));
  });
}

function patternsOf(path: string): Pattern[] {
  const steps = path.split('/');
  const patterns = steps.slice(1).flatMap((room, index) => {
    return forbidden(steps.slice(0, index + 1).join('/'), room, steps.length - index - 1);
  });
  if (path === CLIENT) return [OUTSIDE_CLIENT];
  if (path.startsWith(`${CLIENT}/`)) return [{ ...OUTSIDE_CLIENT, regex: '^(\\.\\./\\.\\./|@|[a-z])' }];
  if (path === CONSOLE || path.startsWith(`${CONSOLE}/`))
    return [...patterns, POSTGRES, outsideConsole(steps.length - 1)];
  return path.startsWith(TALKS_TO_POSTGRES) ? patterns : [...patterns, POSTGRES];
}

/** `ups`: how far the folder is below `src`. */
function outsideConsole(ups: number): Pattern {
  const others = foldersOf('src').filter((room) => room !== 'client' && room !== 'console');
  const up = '\\.\\./'.repeat(ups);
  const regex = `^(node:|${up}(${others.join('|')})/)`;
  return { regex, message: `${CONSOLE} imports only its own files, packages and src/client/client.ts` };
}

function foldersOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** A new room has to find its place in the table before anything in it can be linted. */
function assertComplete(folder: string, rooms: readonly string[]): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || DATA.has(`${folder}/${entry.name}`)) continue;
    if (!rooms.includes(entry.name))
      throw new Error(`${folder}/${entry.name} has no place in HOUSE (oxlint.config.ts)`);
    if (`${folder}/${entry.name}` in HOUSE) continue;
    assertComplete(`${folder}/${entry.name}`, []);
  }
}

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true },
  rules: {
    // Imports of types, too.
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'no-console': 'error',
    'typescript/no-explicit-any': 'error',
    'no-shadow': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'no-await-in-loop': 'off',
    'import/no-unassigned-import': 'off',
    'unicorn/no-array-sort': 'off',
    'require-await': 'off',
    'typescript/consistent-return': 'off',
    'no-underscore-dangle': 'off',
    'typescript/unbound-method': 'off',
    'import/no-named-as-default-member': 'off',
    'typescript/require-array-sort-compare': 'off',
    'promise/always-return': 'off',
    'no-unused-vars': [
      'error',
      { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
    ],
  },
  overrides: [
    {
      files: ['src/**/*.{ts,tsx}', 'scripts/**/*.ts', 'tests/**/*.ts'],
      rules: { 'max-lines': ['error', { max: 250 }] },
    },
    // English is in one file.
    { files: [...GENERATED, 'src/console/words/strings.ts'], rules: { 'max-lines': 'off' } },
    ...walls(),
    {
      files: ['tests/**/*.ts', 'docs/pictures/*.ts'],
      rules: { 'no-control-regex': 'off', 'unicorn/consistent-function-scoping': 'off' },
    },
    { files: ['tests/bench/**/*.ts'], rules: { 'no-console': 'off' } },
  ],
  ignorePatterns: ['tests/fixtures', 'tests/bench/peers', 'node_modules', 'src/cli/demo/workspace'],
});
