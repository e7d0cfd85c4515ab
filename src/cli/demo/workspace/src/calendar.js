/** The calendar day on which an instant falls for people in a time zone, as YYYY-MM-DD. */
export function dayInZone(instant, timeZone) {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Whole calendar days from one instant to another, for people in a time zone. */
export function daysBetween(from, to, timeZone) {
  const start = Date.parse(dayInZone(from, timeZone));
  const end = Date.parse(dayInZone(to, timeZone));
  return Math.round((end - start) / 86_400_000);
}
