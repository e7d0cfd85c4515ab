/** The command of an operation: its arguments and options are fields of the act, which runs in one transaction as the login of the command. */
import type { Command } from 'commander';
import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Fields, JsonField } from '../../operations/fields.ts';
import type { Acting, Operation } from '../../operations/operation.ts';
import type { Database, Queryable } from '../../store/sql/database.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import type { Output } from '../view/output.ts';
import { addCommand, type CommandHelp, type CommonOptions, type Invocation, type RunCommand } from './command.ts';
import { withDatabase } from './database.ts';
import { fieldOption, type OptionWords, parseAs } from './field-option.ts';

/** What a terminal has that the act has not. Arguments are those fields that the usage names. */
export interface Presentation<Input, Result, Row, After> extends CommandHelp {
  /** Its name and arguments: `rotate <id>`. */
  readonly usage: string;
  /** The fields of those arguments that have another name, by the arguments. */
  readonly takes?: Readonly<Record<string, keyof Input & string>>;
  /** Options by the fields that they set. */
  readonly options?: { readonly [Name in keyof Input]?: OptionWords };
  /** What is wrong with the input, in the words of a terminal; null: nothing. Comes before the check of the act. */
  readonly check?: (input: Input) => string | null;
  /** An option that the act does not know, and what is done with it instead of the act. */
  readonly instead?: { readonly option: OptionWords; readonly run: (invocation: Invocation) => Promise<number> };
  /** The row that is named by `id`, or by a part of it. Errors: those of `findOne`. */
  readonly find?: (db: Queryable, reference: string) => Promise<Row>;
  /** What follows the act while the database is open, such as waiting for what it has begun. */
  readonly after?: (db: Database, done: Done<Input, Result, Row>, invocation: Invocation) => Promise<After>;
  /** What `--json` prints; default: the result. Errors are printed as those of the act. */
  readonly document?: (done: Ended<Input, Result, Row, After>) => object;
  /** What people see. Returns the exit code; default 0. */
  readonly show: (output: Output, done: Ended<Input, Result, Row, After>) => number | void;
}

export interface Done<Input, Result, Row> {
  readonly input: Input;
  readonly result: Result;
  /** What `find` has found. */
  readonly row: Row;
}

export interface Ended<Input, Result, Row, After> extends Done<Input, Result, Row> {
  /** What `after` has returned. */
  readonly after: After;
}

/** Adds a command to its group. */
export type AddOperation = (group: Command, run: RunCommand) => void;

/** The command of an operation. */
export function operationCommand<Input, Result, Row extends { readonly id: string } = never, After = undefined>(
  operation: Operation<Input, Result>,
  presentation: Presentation<Input, Result, Row, After>,
): AddOperation {
  const { usage, takes = {}, options = {}, instead } = presentation;
  return (group, run) => {
    const command = addCommand(group, usage, presentation);
    const fields = Object.entries<OptionWords>(options as Readonly<Record<string, OptionWords>>).map(
      ([name, words]) => [name, fieldOption(operation.input[name]!, words)] as const,
    );
    for (const [, option] of fields) command.addOption(option);
    const other = instead && fieldOption({ kind: 'flag' }, instead.option);
    if (other) command.addOption(other);
    const names = command.registeredArguments.map((argument) => {
      const name = takes[argument.name()] ?? argument.name();
      parseAs(operation.input[name]!, argument);
      return name;
    });
    command.action(
      run(async (invocation: Invocation, given: CommonOptions, ...args: readonly unknown[]) => {
        const values = given as Readonly<Record<string, unknown>>;
        if (instead && values[other!.attributeName()] === true) return instead.run(invocation);
        const all: Given[] = [
          ...names.map((name, index) => ({ name, called: name, value: args[index] })),
          ...fields.map(([name, option]) => ({ name, called: option.long!, value: values[option.attributeName()] })),
        ];
        const input = await inputOf(operation.input, all, invocation.context.cwd);
        return runOperation(operation, presentation, invocation, input as Input);
      }),
    );
  };
}

interface Given {
  readonly name: string;
  /** `--params`. */
  readonly called: string;
  /** Undefined: it was not given. */
  readonly value: unknown;
}

/** The values with defaults in place of those that were not given. Where files of JSON are is known only now. */
async function inputOf(fields: Fields, given: readonly Given[], cwd: string): Promise<object> {
  const defaults = Object.entries(fields).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  const values = given
    .filter(({ value }) => value !== undefined)
    .map(async ({ name, called, value }) => {
      const field = fields[name]!;
      return [name, field.kind === 'json' ? await readJson(field, called, value as string, cwd) : value] as const;
    });
  return Object.fromEntries([...defaults, ...(await Promise.all(values))]);
}

async function readJson({ object }: JsonField, option: string, given: string, cwd: string): Promise<unknown> {
  const { jsonObject, jsonOf } = await import('./json-option.ts');
  const json = jsonOf(option, given, cwd);
  return object ? jsonObject(option, json) : json;
}

async function runOperation<Input, Result, Row extends { readonly id: string }, After>(
  operation: Operation<Input, Result>,
  { check, find, after, document, show }: Presentation<Input, Result, Row, After>,
  invocation: Invocation,
  given: Input,
): Promise<number> {
  const { output, context, config } = invocation;
  const wrong = check?.(given) ?? operation.check?.(given) ?? null;
  if (wrong !== null) throw new AnimusError('usage.invalid', { detail: wrong });
  const outside = { config, signal: context.signals.drain, traceparent: null };
  const prepared = await operation.prepare?.(outside, given);
  const done = await withDatabase(invocation, async (db) => {
    const row = (await find?.(db, (given as { readonly id: string }).id)) as Row;
    const input = find ? { ...given, id: row.id } : given;
    let asked: readonly Asked[] = [];
    const act = (tx: Queryable) => {
      // Of this attempt only.
      asked = [];
      const unserved: Acting<never>['unserved'] = async (faculties, about) => {
        asked = [...asked, ...faculties.map((name) => ({ name, ...about }))];
        return {};
      };
      return operation.run({ ...outside, tx, prepared: prepared as never, visitor: null, unserved }, input);
    };
    const did = { input, row, result: await untilUnlocked(() => db.transaction(act), PATIENCE) };
    await note(invocation, db, asked);
    return { ...did, after: (await after?.(db, did, invocation)) as After };
  });
  output.document((document?.(done) ?? done.result) as object);
  return show(output, done) ?? 0;
}

/** How long it waits for a row that another transaction holds. */
const PATIENCE = { clock: systemClock, forMs: 5000 };

type Asked = { readonly name: string } & Parameters<Acting<never>['unserved']>[1];

/**
 * A terminal prints the warning and knows more faculties: those with a file where it runs. To read them loads much, for which no transaction
 * waits.
 */
async function note(invocation: Invocation, db: Queryable, all: readonly Asked[]): Promise<void> {
  for (const asked of all) {
    const { warnIfUnserved } = await import('./known-faculties.ts');
    await warnIfUnserved(invocation, db, asked);
  }
}
