import { inspect } from 'node:util';

const MASK = '***';

/** A value that is never printed: string conversion, JSON and inspection give `***`. Only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value, for the call that needs it. Do not keep it, log it or put it into an error. */
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
