/** Two keys after each other: `g`, and a letter that names a page. */

/** How long after `g` the letter may come. */
const CHORD_MS = 1500;

/** Tells for each key whether it ends a chord: then it returns the key, which means nothing else, and otherwise null. `atMs`: when it was pressed. */
export function createChord(): (key: string, atMs: number) => string | null {
  let begunMs = Number.NEGATIVE_INFINITY;
  return (key, atMs) => {
    const isSecond = atMs - begunMs < CHORD_MS;
    begunMs = key === 'g' && !isSecond ? atMs : Number.NEGATIVE_INFINITY;
    return isSecond ? key : null;
  };
}
