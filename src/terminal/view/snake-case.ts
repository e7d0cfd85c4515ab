/**
 * What may be printed with `--json`: a value with snake_case keys at every depth. At another key it has a type that no value has, so that the call does
 * not compile. Values of type `unknown` are what others wrote (params, outcomes): their keys are theirs.
 */
export type SnakeCase<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | null | undefined | Date
    ? T
    : T extends readonly (infer Each)[]
      ? readonly SnakeCase<Each>[]
      : { readonly [Key in keyof T]: Key extends string ? SnakeValue<Key, T[Key]> : T[Key] };

/** Names that people gave, such as those of faculties, are keys of any form. */
type SnakeValue<Key extends string, Value> = string extends Key
  ? SnakeCase<Value>
  : Key extends Lowercase<Key>
    ? SnakeCase<Value>
    : `${Key} is not snake_case`;
