/** What ends or begins a part of SQL in which a semicolon is text. */
const TOKEN = /--[^\n]*|\$(\w*)\$[^]*?\$\1\$|'(?:[^']|'')*'|"[^"]*"|;/g;

/** The statements of SQL, one by one as psql sends them: some, such as `create database`, may not share a request with others. */
export function statementsOf(sql: string): string[] {
  const ends = [...sql.matchAll(TOKEN)].flatMap((found) => (found[0] === ';' ? [found.index + 1] : []));
  const statements = [0, ...ends].map((from, index) => sql.slice(from, ends[index]));
  return statements.filter((each) => each.replaceAll(/--[^\n]*/g, '').trim() !== '');
}
