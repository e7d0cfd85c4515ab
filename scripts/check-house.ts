/** `npm run check:house`: refuses unknown names at the root, long files of SQL, and rooms without tests. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type House, houseProblems } from './house-problems.ts';

/** Folders that hold no code of ours. */
const DATA = 'src/cli/demo/workspace';
const FUNCTIONS = 'migrations/functions';

const problems = houseProblems(readHouse());
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function readHouse(): House {
  const sql = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'));
  return {
    rootNames: rootNames(),
    sqlLines: new Map(sql.map((name) => [name, readFileSync(join(FUNCTIONS, name), 'utf8').split('\n').length - 1])),
    rooms: foldersWith('src', '.ts').filter((room) => room !== ''),
    testedRooms: foldersWith('tests', '.test.ts'),
  };
}

/** What git knows, and what it would add: other files of a checkout are ignored or nobody's concern. */
function rootNames(): string[] {
  const program = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = spawnSync('git', program, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(stdout.split('\0').flatMap((path) => path.split('/', 1)))].filter((name) => name !== '');
}

/** The folders below one that have such a file in them, as paths from there. */
function foldersWith(root: string, ending: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending) && !entry.parentPath.startsWith(DATA))
    .map((entry) => relative(root, entry.parentPath));
  return [...new Set(folders)].sort();
}
