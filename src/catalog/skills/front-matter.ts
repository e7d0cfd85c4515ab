/** Splits a SKILL.md into front matter and body, and parses the front matter without any of YAML's powers. */
import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { Finding } from './finding.ts';
import { FRONT_MATTER_BYTES } from './skill-limits.ts';

/** A value of the front matter. Every scalar is a text, also `1.0` and `true`. */
export type FrontValue = string | Map<unknown, unknown> | readonly unknown[];

/** The front matter of a SKILL.md. */
export interface FrontMatter {
  readonly values: ReadonlyMap<string, FrontValue>;
  /** The line in the file of each key; `metadata.KEY` for keys of a map. */
  readonly lines: ReadonlyMap<string, number>;
  /** Keys whose value other YAML readers take for a number, a boolean or nothing, because it has no quotes. */
  readonly untexts: ReadonlySet<string>;
}

/** A SKILL.md in its parts. `frontMatter` is null if the findings say why it cannot be used. */
export interface SkillText {
  readonly frontMatter: FrontMatter | null;
  /** With line feeds, without blank lines around it. */
  readonly body: string;
  readonly findings: readonly Finding[];
}

/** Splits and parses the text of SKILL.md. Accepts CRLF and a byte order mark. Never throws because of the text. */
export function readSkillText(text: string): SkillText {
  const findings: Finding[] = [];
  const find = (rank: Finding['rank'], line: number | null, what: string) => {
    findings.push({ rank, path: 'SKILL.md', line, what });
  };
  if (text.startsWith('\uFEFF')) find('own', 1, 'begins with a byte order mark');
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const parts = splitLines(lines);
  if (typeof parts === 'string') {
    find('broken', 1, parts);
    return { frontMatter: null, body: '', findings };
  }
  const frontMatter = parseYaml(parts.yaml, find);
  return { frontMatter, body: parts.body, findings };
}

type Find = (rank: Finding['rank'], line: number | null, what: string) => void;

/** The lines between the fences, and the text below; or what is wrong. */
function splitLines(lines: readonly string[]): { yaml: string; body: string } | string {
  if (lines[0]?.trimEnd() !== '---') return 'does not begin with front matter: expected --- as its first line';
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end === -1) return 'its front matter has no end: expected a line --- below it';
  const yaml = lines.slice(1, end).join('\n');
  if (Buffer.byteLength(yaml) > FRONT_MATTER_BYTES) return `its front matter has more than ${FRONT_MATTER_BYTES} bytes`;
  const body = lines
    .slice(end + 1)
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  return { yaml, body };
}

/** The front matter begins in line 2 of the file. */
const LINES_ABOVE = 1;

/** Deeper than any front matter: protects the parser, which recurses. */
const MOST_BRACKETS = 200;

function parseYaml(yaml: string, find: Find): FrontMatter | null {
  if ((yaml.match(/[[{]/g)?.length ?? 0) > MOST_BRACKETS || /^(?:[ \t]*[-?:] ){20}/m.test(yaml)) {
    find('broken', null, 'its front matter is nested too deeply');
    return null;
  }
  let counter = new LineCounter();
  let document = parse(yaml, counter);
  if (document.errors.length > 0 && document.errors.length < 20) {
    const quoted = quotePlainValues(yaml);
    const again = new LineCounter();
    const second = parse(quoted, again);
    if (second.errors.length === 0) {
      const line = lineOf(counter, document.errors[0]?.pos[0] ?? 0);
      find('foreign', line, 'is not valid YAML: a value that contains ": " must be in quotes');
      [document, counter] = [second, again];
    }
  }
  const [error] = document.errors;
  if (error !== undefined) {
    find('broken', lineOf(counter, error.pos[0]), `its front matter is not valid YAML: ${firstLine(error.message)}`);
    return null;
  }
  const refused = powerOf(document, counter);
  if (refused !== null) {
    find('broken', refused.line, refused.what);
    return null;
  }
  if (!isMap(document.contents)) {
    find('broken', LINES_ABOVE + 1, 'its front matter is not a list of fields such as name: and description:');
    return null;
  }
  return collect(document, counter, find);
}

function parse(yaml: string, lineCounter: LineCounter): Document {
  return parseDocument(yaml, {
    schema: 'failsafe',
    version: '1.2',
    merge: false,
    // Checked in `collect`: the parser compares each key with all others.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter,
  });
}

/** The first anchor, alias or tag: a reader of skills needs none of them, and each has been used to attack one. */
function powerOf(document: Document, counter: LineCounter): { line: number; what: string } | null {
  let found: { line: number; what: string } | null = null;
  visit(document, {
    Node(_key, node) {
      const what = isAlias(node)
        ? 'an alias (*)'
        : node.anchor !== undefined
          ? 'an anchor (&)'
          : node.tag !== undefined && !PLAIN_TAGS.has(node.tag)
            ? 'a tag (!)'
            : null;
      if (what === null) return undefined;
      found = {
        line: lineOf(counter, node.range?.[0] ?? 0),
        what: `its front matter uses ${what}, which is not accepted`,
      };
      return visit.BREAK;
    },
  });
  return found;
}

/** What the parser sets by itself. */
const PLAIN_TAGS = new Set(['tag:yaml.org,2002:str', 'tag:yaml.org,2002:map', 'tag:yaml.org,2002:seq']);

/** What a reader with YAML's core types takes for a number, a boolean or nothing. */
const NOT_A_TEXT =
  /^(?:~|null|true|false|yes|no|on|off|[-+]?(?:\.?\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?|\.inf|0x[\da-f]+|0o[0-7]+)|\.nan|\d{4}-\d\d?-\d\d?)$/i;

/** Null if a key appears more than once. */
function collect(document: Document, counter: LineCounter, find: Find): FrontMatter | null {
  let twice = false;
  const values = new Map<string, FrontValue>();
  const lines = new Map<string, number>();
  const untexts = new Set<string>();
  const walk = (node: unknown, prefix: string) => {
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      const name = prefix + String(isScalar(key) ? key.value : key);
      const line = isNode(key) ? lineOf(counter, key.range?.[0] ?? 0) : 0;
      if (lines.has(name)) {
        find('broken', line, `has ${name} more than once; it is also on line ${lines.get(name)}`);
        twice = true;
      }
      lines.set(name, line);
      if (isScalar(value) && value.type === 'PLAIN' && NOT_A_TEXT.test(String(value.value))) untexts.add(name);
      if (prefix === '') walk(value, `${name}.`);
    }
  };
  walk(document.contents, '');
  if (twice) return null;
  const top = document.toJS({ mapAsMap: true, maxAliasCount: 0 }) as Map<unknown, FrontValue | null>;
  for (const [key, value] of top) values.set(String(key), value ?? '');
  return { values, lines, untexts };
}

/** `key: a value: with a colon` as `key: "a value: with a colon"`: a common mistake of people, which most readers of skills forgive. */
function quotePlainValues(yaml: string): string {
  return yaml.replace(/^([A-Za-z][\w-]*):[ \t]+([^\s"'|>[{&*!#%@`].*)$/gm, (_line, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trim())}`;
  });
}

function lineOf(counter: LineCounter, offset: number): number {
  return counter.linePos(offset).line + LINES_ABOVE;
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? '';
}
