/** Times in fields of forms, which have no zone: they are those of the reader. */

const MINUTE_MS = 60_000;

/** `2026-11-30T19:05` in the reader's zone; empty for null. */
export function inputTime(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** As ISO 8601 with its zone; null: the field is empty. */
export function instantOf(field: string): string | null {
  const time = new Date(field);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
