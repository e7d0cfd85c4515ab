/**
 * The typed results of animus's own tools, as Python source. They are made of what a tool gives as `data`; where a result has none (a
 * hook has changed it), they are made of its text.
 */
import type { Returned } from './function-source.ts';

export interface ResultSource {
  readonly returned: Returned;
  /** Names that code may use, such as classes. */
  readonly defines: readonly string[];
  readonly source: string;
  /** What its docstring says in addition; default: nothing. */
  readonly note?: string;
}

/** Of all other tools: a dictionary. */
export const OTHER_RESULT: Returned = { type: 'ToolResult', maker: 'other_result' };

/** By the name of the tool. */
export const RESULTS: Readonly<Record<string, ResultSource>> = {
  bash: result('BashResult', '_bash_result', {
    defines: ['BashResult'],
    note: 'In code: up to 16 MiB of output. A command that fails raises nothing: look at .ok or .exit_code, or call .check().',
    source: `
@dataclass(frozen=True)
class BashResult:
    """How a command ended, and what it printed. A command that fails raises nothing: look at \`ok\`, or call \`check()\`."""

    exit_code: int | None
    stdout: str
    stderr: str
    ended: str
    signal: str | None
    duration_ms: int | None
    report: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    def check(self) -> "BashResult":
        """Raises ToolError unless the exit code is 0; returns the result."""
        if not self.ok:
            raise ToolError("bash", self.report)
        return self

    def __str__(self) -> str:
        return self.stdout


def _bash_result(content, details, failed):
    if isinstance(details, dict) and "stdout" in details:
        names = ("exit_code", "stdout", "stderr", "ended", "signal", "duration_ms")
        return BashResult(*(details.get(name) for name in names), report=content)
    if failed or (isinstance(details, dict) and "id" in details):
        return other_result(content, details, failed)
    return BashResult(0, content, "", "exit", None, None, content)
`,
  }),
  read_file: result('FileText', '_file_text', {
    defines: ['FileText'],
    note: 'In code: the text as it is, without line numbers; all of it, unless limit is given.',
    source: `
class FileText(str):
    """The text of a file, or of a part of it: a str with the attributes path, first, last (line numbers), lines and bytes (of the file)."""

    path = first = last = lines = bytes = None


def _file_text(content, details, failed):
    known = isinstance(details, dict) and isinstance(details.get("text"), str) and not failed
    if failed:
        return other_result(content, details, failed)
    text = FileText(details["text"] if known else content)
    if known:
        text.__dict__.update({name: details.get(name) for name in ("path", "first", "last", "lines", "bytes")})
    return text
`,
  }),
  grep: result('Matches', '_matches', {
    defines: ['GrepMatch', 'Matches'],
    source: `
@dataclass(frozen=True)
class GrepMatch:
    path: str
    line: int
    text: str
    context: bool = False


class Matches(list):
    """A list of GrepMatch; with output="files" of paths, with "counts" of (path, lines). \`more\`: there are more matches than these; \`files\`: how many files were searched."""

    more = False
    files = None


def _matches(content, details, failed):
    if failed or not isinstance(details, dict) or "more" not in details:
        return other_result(content, details, failed)
    if "matches" in details:
        matches = Matches(GrepMatch(each["path"], each["line"], each["text"], each.get("context", False)) for each in details["matches"])
    elif "paths" in details:
        matches = Matches(details["paths"])
    else:
        matches = Matches((each["path"], each["lines"]) for each in details["counts"])
    matches.more, matches.files = bool(details.get("more")), details.get("files")
    return matches
`,
  }),
  glob: result('Paths', '_paths', {
    defines: ['Paths'],
    source: `
class Paths(list):
    """A list of paths (str). \`more\`: there are more than these."""

    more = False


def _paths(content, details, failed):
    if failed or not isinstance(details, dict) or not isinstance(details.get("paths"), list):
        return other_result(content, details, failed)
    paths = Paths(details["paths"])
    paths.more = bool(details.get("more"))
    return paths
`,
  }),
  list_dir: result('Entries', '_entries', {
    defines: ['DirEntry', 'Entries'],
    source: `
@dataclass(frozen=True)
class DirEntry:
    """\`kind\`: file, directory, link or other. \`size\`: in bytes, of files."""

    name: str
    kind: str
    size: int | None


class Entries(list):
    """A list of DirEntry. \`more\`: there are more than these."""

    more = False


def _entries(content, details, failed):
    if failed or not isinstance(details, dict) or not isinstance(details.get("entries"), list):
        return other_result(content, details, failed)
    entries = Entries(DirEntry(each["name"], each["kind"], each.get("size")) for each in details["entries"])
    entries.more = bool(details.get("more"))
    return entries
`,
  }),
  write_file: record('WriteResult', { path: 'str', bytes: 'int', created: 'bool' }),
  edit_file: record('EditResult', { path: 'str', replaced: 'int', line: 'int' }),
  ledger_append: record('LedgerEntry', { seq: 'int', type: 'str', content: 'str' }),
  web_fetch: record('WebPage', {
    url: 'str',
    status: 'int',
    type: 'str',
    title: 'str',
    text: 'str',
    bytes: 'int',
    redirects: 'int',
  }),
};

function result(type: string, maker: string, rest: Omit<ResultSource, 'returned'>): ResultSource {
  return { returned: { type, maker }, ...rest };
}

/** A dataclass whose fields are those of the tool's data. */
function record(name: string, fields: Readonly<Record<string, string>>): ResultSource {
  const maker = `_make_${name}`;
  const names = Object.keys(fields);
  const source = `
@dataclass(frozen=True)
class ${name}:
${Object.entries(fields)
  .map(([field, type]) => `    ${field}: ${type}`)
  .join('\n')}


def ${maker}(content, details, failed):
    names = (${names.map((field) => `"${field}"`).join(', ')})
    if failed or not isinstance(details, dict) or not all(name in details for name in names):
        return other_result(content, details, failed)
    return ${name}(*(details[name] for name in names))
`;
  return result(name, maker, { defines: [name], source });
}
