/** Characters that are not what they seem: nobody sees them, they reorder the text around them, or they look like others. */

/** `shown`: what takes its place; `name`: what it is, for people. */
export interface OddCharacter {
  readonly shown: string;
  readonly name: string;
}

/** By code point: a short mark and the name in Unicode. */
const NAMED: Readonly<Record<number, readonly [mark: string, name: string]>> = {
  0xad: ['SHY', 'SOFT HYPHEN'],
  0x34f: ['CGJ', 'COMBINING GRAPHEME JOINER'],
  0x61c: ['ALM', 'ARABIC LETTER MARK'],
  0x115f: ['HCF', 'HANGUL CHOSEONG FILLER'],
  0x1160: ['HJF', 'HANGUL JUNGSEONG FILLER'],
  0x180e: ['MVS', 'MONGOLIAN VOWEL SEPARATOR'],
  0x200b: ['ZWSP', 'ZERO WIDTH SPACE'],
  0x200c: ['ZWNJ', 'ZERO WIDTH NON-JOINER'],
  0x200d: ['ZWJ', 'ZERO WIDTH JOINER'],
  0x200e: ['LRM', 'LEFT-TO-RIGHT MARK'],
  0x200f: ['RLM', 'RIGHT-TO-LEFT MARK'],
  0x2028: ['LS', 'LINE SEPARATOR'],
  0x2029: ['PS', 'PARAGRAPH SEPARATOR'],
  0x202a: ['LRE', 'LEFT-TO-RIGHT EMBEDDING'],
  0x202b: ['RLE', 'RIGHT-TO-LEFT EMBEDDING'],
  0x202c: ['PDF', 'POP DIRECTIONAL FORMATTING'],
  0x202d: ['LRO', 'LEFT-TO-RIGHT OVERRIDE'],
  0x202e: ['RLO', 'RIGHT-TO-LEFT OVERRIDE'],
  0x2060: ['WJ', 'WORD JOINER'],
  0x2066: ['LRI', 'LEFT-TO-RIGHT ISOLATE'],
  0x2067: ['RLI', 'RIGHT-TO-LEFT ISOLATE'],
  0x2068: ['FSI', 'FIRST STRONG ISOLATE'],
  0x2069: ['PDI', 'POP DIRECTIONAL ISOLATE'],
  0x3164: ['HF', 'HANGUL FILLER'],
  0xfeff: ['BOM', 'ZERO WIDTH NO-BREAK SPACE'],
  0xffa0: ['HHF', 'HALFWIDTH HANGUL FILLER'],
};

/** U+0000 to U+001F. */
const CONTROL_MARKS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );
const CONTROLS =
  'NULL,START OF HEADING,START OF TEXT,END OF TEXT,END OF TRANSMISSION,ENQUIRY,ACKNOWLEDGE,BELL,BACKSPACE,TABULATION,LINE FEED,LINE TABULATION,FORM FEED,CARRIAGE RETURN,SHIFT OUT,SHIFT IN,DATA LINK ESCAPE,DEVICE CONTROL ONE,DEVICE CONTROL TWO,DEVICE CONTROL THREE,DEVICE CONTROL FOUR,NEGATIVE ACKNOWLEDGE,SYNCHRONOUS IDLE,END OF TRANSMISSION BLOCK,CANCEL,END OF MEDIUM,SUBSTITUTE,ESCAPE,FILE SEPARATOR,GROUP SEPARATOR,RECORD SEPARATOR,UNIT SEPARATOR'.split(
    ',',
  );

/**
 * Letters and signs of other scripts, each with the ASCII character that it looks like. Those that Unicode itself calls compatible (fullwidth, mathematical
 * letters) need no line here.
 */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  [
    // Cyrillic
    'аa вb еe ѕs іi јj оo рp сc уy хx һh ԁd ԛq ԝw ӏl ѵv гr кk мm нh тt пn ьb ғf ҽe ӽx',
    'АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ԌG ԚQ ԜW ӀI ѴV ҮY',
    // Greek
    'αa γy εe ηn ιi κk νv οo ρp σo τt υu χx ωw ϲc ϳj',
    'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ',
    // Armenian, Georgian, Cherokee, Coptic, Lisu
    'աw գq զq հh ոn ռn սu օo ցg յj ՏS ՕO ԼL ყy ზ3 ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᎳW ᏃZ ⲟo ⲣp ⲥc ꓐB ꓚC ꓓD ꓰE ꓝF ꓖG ꓧH ꓲI ꓙJ ꓗK ꓡL ꓟM ꓠN ꓳO ꓑP ꓣR ꓢS ꓔT ꓴU ꓦV ꓪW ꓫX ꓬY ꓜZ',
    // Latin and phonetic letters outside ASCII
    'ɑa ɡg ɩi ıi ȷj ſs ƽ5 ʋu ᴄc ᴏo ᴠv ᴡw ᴢz ꜱs ʀr ɴn ʟl ǀl ǃ! ɪi ʏy',
    // Digits of other scripts
    '٠. ٥o ۰. ۵o ०o ০o ੦o ૦o ௦o ౦o ೦o ൦o ๐o ໐o ၀o',
    // Signs
    "⁄/ ∕/ ⧸/ ╱/ ⟋/ ꤷ/ ⧵\\ ∖\\ ⧹\\ ╲\\ ‐- ‑- ‒- –- —- ―- −- ﹘- ➖- ˗- ᐨ- ‘' ’' ‛' ′' ʹ' ʼ' ʻ' ˈ' ‚, “\" ”\" ‟\" ″\" ʺ\" ˮ\" „\" ․. ꓸ. ‧. ·. 。. ︰: ꞉: ∶: ː: \u037e; ⁏; ∣| ǀ| ⏐| │| ∗* ⁎* ∼~ ˜~ ⁓~ ＆& ﹠& ‹< ›> ❮< ❯> ⟨< ⟩> ˂< ˃> 〈< 〉> ⁅[ ⁆] ❲( ❳) ⟮( ⟯) ❴{ ❵} ⸨( ⸩) ꓺ.. ﹩$ ♯# ＠@ ﹫@ ⩵= ᐸ< ᐳ> ꞏ. ؍, ،, ‸^ ˄^",
  ]
    .flatMap((line) => line.split(' '))
    .map((pair) => {
      const [odd = '', ...like] = pair;
      return [odd, like.join('')] as const;
    }),
);

/** What the eye takes the character for; null: it looks like nothing in ASCII. */
export function asciiLike(character: string): string | null {
  if (character <= '\u007f') return null;
  const listed = LOOKS_LIKE.get(character);
  if (listed !== undefined) return listed;
  const plain = character.normalize('NFKC');
  if (plain === character || !/^[\x21-\x7e]+$/.test(plain)) return null;
  return plain;
}

/** A character that nobody sees, or that acts on what is around it. */
export function hiddenCharacter(character: string): OddCharacter {
  const code = character.codePointAt(0)!;
  const [mark, name] = NAMED[code] ?? [];
  if (mark !== undefined) return { shown: mark, name: `${codePoint(code)} ${name}` };
  const control = CONTROL_MARKS[code];
  if (control !== undefined) return { shown: control, name: `${codePoint(code)} ${CONTROLS[code]}` };
  if (code === 0x7f) return { shown: 'DEL', name: 'U+007F DELETE' };
  return { shown: codePoint(code), name: `${codePoint(code)} ${groupOf(character, code)}` };
}

/** `U+202E`. */
export function codePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function groupOf(character: string, code: number): string {
  if (code >= 0xe0000 && code <= 0xe007f) return `TAG ${String.fromCodePoint(code - 0xe0000)}`;
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'VARIATION SELECTOR';
  if (code >= 0x80 && code <= 0x9f) return 'CONTROL CHARACTER';
  if (code >= 0xd800 && code <= 0xdfff) return 'HALF OF A SURROGATE PAIR';
  if (/\p{Co}/u.test(character)) return 'PRIVATE USE';
  if (/\p{M}/u.test(character)) return 'COMBINING MARK';
  if (/\p{Z}/u.test(character)) return 'SPACE';
  return 'INVISIBLE CHARACTER';
}

const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Cherokee',
  'Coptic',
  'Lisu',
  'Hebrew',
  'Arabic',
];
const OF_SCRIPT = SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const);

/** The writing that a letter belongs to; null: another one, or it is no letter. */
export function scriptOf(character: string): string | null {
  return OF_SCRIPT.find(([, pattern]) => pattern.test(character))?.[0] ?? null;
}
