import { inspect } from 'node:util';

const MASK = '***';

/** A value that never prints itself: string conversion, JSON, and inspection all give `***`. Only `reveal` tells it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value, for the one call that needs it; what it returns must not be kept, logged or put into an error. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
