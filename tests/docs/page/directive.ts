/** What a comment `<!-- docs: … -->` of a page says. AGENTS.md ("Pages that run") describes the words for writers. */

/** The words of a directive about one block. */
export interface Attributes {
  /** Why the block does not run. */
  readonly skip?: string;
  /** Programs that a machine may lack, separated by commas: the block runs only where they are. `docker` means an engine that answers. */
  readonly needs?: string;
  /** The block is the text of this file, relative to the current directory of the page's shell. */
  readonly file?: string;
  /** It is added to the end of that file. */
  readonly append?: true;
  /** The block is what this command prints; without a command, what the block before it printed. */
  readonly output?: string | true;
  /** What the block prints stands for this text of the page from here on. */
  readonly as?: string;
  /** The block must fail. */
  readonly fails?: true;
  /** Standard input of each line of commands. */
  readonly input?: string;
  /** Commands whose output is shown are run again until they print it. */
  readonly eventually?: true;
  /** A program that runs until the end of the page; ready when it has printed this. */
  readonly background?: string;
  /** Where Python runs: as `execute_code`. */
  readonly in?: 'sandbox';
}

const FLAGS = ['append', 'fails', 'eventually'];
const VALUES = ['needs', 'file', 'as', 'input', 'background', 'in'];
const CLOSED: Readonly<Record<string, readonly string[]>> = { in: ['sandbox'] };

/** Reads `word`, `word=value` and `word="value with spaces"`; `skip: REASON` is alone. Throws an Error that names the word. */
export function parseAttributes(text: string): Attributes {
  const [, skip] = /^skip:\s*(\S.*)$/s.exec(text) ?? [];
  if (skip !== undefined) return { skip: skip.trim() };
  const words = wordsOf(text).map(([name, value]) => {
    const known = value === null ? [...FLAGS, 'output'] : [...VALUES, 'output'];
    if (!known.includes(name)) throw new Error(`unknown word ${value === null ? name : `${name}=`} in "docs: ${text}"`);
    if (CLOSED[name]?.includes(value ?? '') === false) throw new Error(`unknown value in ${name}=${value}`);
    return [name, value ?? true];
  });
  return Object.fromEntries(words);
}

/** The words of a directive about the page. Throws an Error that names an unknown word. */
export interface PageSettings {
  /** `server`: a migrated database of its own on a Postgres server. `embedded`: a migrated embedded one. `new`: the first command creates it. */
  readonly database: 'server' | 'embedded' | 'new';
  /** Its shell starts in a copy of this repository, where `docker compose` means an appliance of the page. Needs Docker. */
  readonly appliance?: boolean;
  /** Programs without which none of it runs, as for a block. */
  readonly needs?: string;
}

/** Reads them; default is a database on the server. */
export function parseSettings(text: string): PageSettings {
  const given = Object.fromEntries(wordsOf(text));
  const { database = 'server', needs, appliance, ...unknown } = given;
  const [other] = Object.keys(unknown);
  if (other !== undefined) throw new Error(`unknown word ${other} in "docs: page ${text}"`);
  if (!['server', 'embedded', 'new'].includes(database ?? '')) throw new Error(`unknown value in database=${database}`);
  const programs = [needs, appliance === null ? 'docker' : null].filter((each) => each != null).join(',');
  return {
    database: database as PageSettings['database'],
    ...(programs !== '' && { needs: programs }),
    ...(appliance === null && { appliance: true }),
  };
}

function wordsOf(text: string): [string, string | null][] {
  const word = /\s*([a-z]+)(?:=(?:"([^"]*)"|(\S+)))?(?=\s|$)/y;
  const found: [string, string | null][] = [];
  for (const end = text.trimEnd().length; word.lastIndex < end; ) {
    const from = word.lastIndex;
    const [, name, quoted, plain] = word.exec(text) ?? [];
    if (name === undefined) throw new Error(`cannot be read: "${text.slice(from)}"`);
    found.push([name, quoted ?? plain ?? null]);
  }
  return found;
}
