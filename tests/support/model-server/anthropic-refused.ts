/** What a rule of the Messages API throws; `refusalOf` returns it as a value. */
export class Refused extends Error {
  readonly status: number;
  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** The list in this field, empty if the request does not have the field. */
export function list(value: unknown, where: string): Record<string, unknown>[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refused(`${where}: Input should be a valid array`);
  return value as Record<string, unknown>[];
}
