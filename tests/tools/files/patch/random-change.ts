/** Walks the lines and removes, replaces or adds some, each hunk with the line before it as context. */
export function change(before: readonly string[], random: (below: number) => number) {
  const hunks: string[] = [];
  const after: string[] = [];
  for (const [index, line] of before.entries()) {
    const what = random(8);
    const context = index > 0 && !hunks.at(-1)?.includes(`${index - 1} `) ? [` ${before[index - 1]}`] : [];
    if (what === 0) hunks.push(['@@', ...context, `-${line}`].join('\n'));
    else if (what === 1) hunks.push(['@@', ...context, `-${line}`, `+new ${index}`, '+'].join('\n'));
    else if (what === 2) hunks.push(['@@', ` ${line}`, `+more ${index}`].join('\n'));
    if (what > 1) after.push(line);
    if (what === 1) after.push(`new ${index}`, '');
    if (what === 2) after.push(`more ${index}`);
  }
  return { hunks, after };
}

/** Random whole numbers from 0 to below a bound, the same ones for the same seed. */
export function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}
