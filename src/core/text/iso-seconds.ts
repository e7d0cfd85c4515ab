/** A time as models read it: in UTC, without fractions of a second. */
export function isoSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}
