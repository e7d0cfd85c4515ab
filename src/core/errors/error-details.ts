/** What an error of each code has to say: the placeholders of its message in the table. */
import type { ERRORS, ErrorCode } from './error-table.ts';

/** The values of a message's placeholders, also kept for logs. Never put a secret here. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The names between braces. */
type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type Named<Code extends ErrorCode> = Placeholder<(typeof ERRORS)[Code]['message']>;
type Optional<Name extends string> = Name extends `${infer Bare}?` ? Bare : never;
type Required<Name extends string> = Name extends `${string}?` ? never : Name;

/** Anything but nothing. */
type Value = string | number | bigint | boolean | object | null;

/** What details have beside the placeholders, for code that handles the error and for logs. */
interface Beside {
  /** `name`: of the faculty, so that a reload keeps the one before. `setting`: it concerns the configuration, and not only this faculty. */
  'config.conflict': 'name' | 'setting';
  'db.embedded_locked': 'pid';
  /** Where the file is now. */
  'files.displaced': 'at';
  'work.locked': 'id';
  'work.not_found': 'id';
  'work.state': 'id';
}
type BesideOf<Code extends ErrorCode> = Code extends keyof Beside ? Beside[Code] : never;

/** The details of a code: all that its message needs, and nothing that nobody reads. */
export type DetailsOf<Code extends ErrorCode, Given extends string = never> = {
  readonly [Name in Exclude<Required<Named<Code>>, Given>]: Value;
} & { readonly [Name in Optional<Named<Code>> | BesideOf<Code>]?: Value | undefined };

/** The details as arguments, which may be left out where the message needs none. `Given`: placeholders that are filled otherwise. */
export type DetailsArguments<Code extends ErrorCode, Given extends string = never> = [
  Exclude<Required<Named<Code>>, Given>,
] extends [never]
  ? [details?: DetailsOf<Code, Given>]
  : [details: DetailsOf<Code, Given>];
