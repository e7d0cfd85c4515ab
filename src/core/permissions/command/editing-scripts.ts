/** Scripts of sed and awk that run no command. Both languages can. */
import { UNKNOWN } from '../text/wildcard.ts';
import { operandsOf, WITHIN_WORD } from './options.ts';

/** True if sed only gets scripts of a small part of its language: without `e`, `w` and `r`, labels and blocks. */
export function isPlainSed(words: readonly string[]): boolean {
  const read = operandsOf(
    { flags: 'nErsuzi', values: 'e', long: 'quiet silent regexp-extended in-place separate null-data expression=' },
    words,
  );
  if (read === null) return false;
  const scripts: string[] = [];
  for (const [at, word] of words.entries()) {
    if (word === '--') break;
    const long = /^--expression(?:=(.*))?$/s.exec(word);
    const short = /^-[nErsuzi]*e(.*)$/s.exec(word);
    const found = long ?? short;
    if (found) scripts.push(found[1] || (words[at + 1] ?? ''));
    // `-i` takes the rest of the word as a suffix.
    if (/^-[a-zE]*i./.test(word)) return false;
  }
  if (scripts.length === 0) scripts.push(read.operands[0] ?? '');
  return scripts.every((script) => script.length <= LONGEST && isKnown(script) && PLAIN_SED.test(script));
}

function isKnown(script: string): boolean {
  return !script.includes(UNKNOWN) && !script.includes(WITHIN_WORD);
}

const LONGEST = 2000;

/** A part between two delimiters. Sets of characters do not contain the delimiter: implementations differ about that. */
const part = (delimiter: string) => String.raw`(?:\\[^\n]|\[\^?\]?[^\]\n${delimiter}\\]*\]|[^\\\[\n${delimiter}])*`;
const REGEX = `/${part('/')}/`;
const ADDRESS = String.raw`(?:\d+|\$|${REGEX})`;
const SUBSTITUTE = ['/', '|', '#', ',', ':', '@', '!']
  .map((delimiter) => {
    const d = delimiter === '|' ? String.raw`\|` : delimiter;
    return `s${d}${part(d)}${d}(?:\\\\[^\\n]|[^\\\\\\n${d}])*${d}[gpiI0-9]*`;
  })
  .join('|');
const STEP = String.raw` *(?:${ADDRESS}(?:,(?:\+?\d+|${ADDRESS}))? *!? *)?(?:[dDpPqhHgGxnN=]|${SUBSTITUTE}) *`;
const PLAIN_SED = new RegExp(`^${STEP}(?:[;\\n]${STEP})*;?$`);

/** True if awk gets one program that calls no command, reads from none, and loads nothing. */
export function isPlainAwk(words: readonly string[]): boolean {
  const read = operandsOf({ values: 'Fv' }, words, true);
  const program = read?.operands[0];
  if (program === undefined || !isKnown(program)) return false;
  return !/[|@]|system|getline|extension/.test(program);
}
