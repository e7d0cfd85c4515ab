/** What a repository looks like, as far as the linter does not see it. */
export interface House {
  /** Of files and folders at the root that git knows, or would add. */
  readonly rootNames: readonly string[];
  /** Lines of each file in migrations/functions, by name. */
  readonly sqlLines: ReadonlyMap<string, number>;
  /** Folders of src with sources in them, below `src`. */
  readonly rooms: readonly string[];
  /** Folders of tests with tests in them, below `tests`. */
  readonly testedRooms: readonly string[];
}

/** What may stand at the root. */
const AT_THE_ROOT = new Set(
  (
    '.ci .dockerignore .env.example .gitignore .npmrc AGENTS.md CHANGELOG.md DESIGN.md LICENSE README.md biome.json docker docker-compose.yml docs ' +
    'faculties knip.json migrations oxlint.config.ts package-lock.json package.json scripts skills src tests tsconfig.build.json tsconfig.json ' +
    'vitest.config.ts'
  ).split(' '),
);

const MAX_SQL_LINES = 250;

/** Rooms without tests of their name, and the folder of tests that goes through them. */
export const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  'catalog/config': 'catalog',
  cli: 'terminal/command',
  'cli/work': 'features/work/terminal',
  'client/api': 'client',
  'core/config/source': 'core/config',
  'console/words': 'console',
  daemon: 'e2e',
  'daemon/focus/engage': 'daemon/focus',
  'daemon/kept': 'e2e',
  'daemon/parts': 'features/webhooks',
  'features/conversations': 'features/conversations/operations',
  sandbox: 'sandbox/execution',
  'sandbox/endpoint': 'e2e',
  'sandbox/host': 'sandbox/keeper',
  'sandbox/sdk': 'sandbox/inside',
  schemas: 'catalog/faculty',
  'store/migrations/damage': 'cli/doctor/database',
  'store/open': 'store/embedded',
  'store/people': 'http/login',
  'tools/memory': 'daemon/focus/end',
};

/** What is wrong, one line each; empty if nothing is. */
export function houseProblems({ rootNames, sqlLines, rooms, testedRooms }: House): string[] {
  const tested = new Set(testedRooms);
  return [
    ...rootNames.filter((name) => !AT_THE_ROOT.has(name)).map((name) => `${name}: not known at the root`),
    ...[...sqlLines].flatMap(([name, lines]) => {
      return lines > MAX_SQL_LINES ? [`migrations/functions/${name}: ${lines} lines, at most ${MAX_SQL_LINES}`] : [];
    }),
    ...rooms.flatMap((room) => roomProblem(room, tested)),
    ...Object.keys(TESTED_ELSEWHERE)
      .filter((room) => !rooms.includes(room))
      .map((room) => `src/${room}: not a room, but listed in TESTED_ELSEWHERE`),
  ];
}

function roomProblem(room: string, tested: ReadonlySet<string>): string[] {
  const elsewhere = TESTED_ELSEWHERE[room];
  if (tested.has(room)) {
    return elsewhere === undefined ? [] : [`src/${room}: has tests of its name; remove it from TESTED_ELSEWHERE`];
  }
  if (elsewhere === undefined) return [`src/${room}: no tests in tests/${room}`];
  return tested.has(elsewhere) ? [] : [`src/${room}: its tests should be in tests/${elsewhere}, which has none`];
}
