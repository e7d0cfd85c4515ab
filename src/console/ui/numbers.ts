/** Numbers as people read them. */

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const KIB = 1024;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `4.2K`, `1.3M`. */
export function compact(value: number): string {
  return SHORT.format(value);
}

/** `512 B`, `1.4 MiB`. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  while (value >= KIB && unit < UNITS.length - 1) {
    value /= KIB;
    unit++;
  }
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${UNITS[unit]}`;
}
