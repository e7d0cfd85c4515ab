/** The command of an operation: its arguments and options are fields of the act, which runs in one transaction as the login of the command. */
import type { Command } from 'commander';
import { usageError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Field, JsonField } from '../../operations/fields.ts';
import type { Acting, Operation, Outside } from '../../operations/operation.ts';
import type { Database, Queryable } from '../../store/sql/database.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import type { Output } from '../view/output.ts';
import { addCommand, type CommandHelp, type CommonOptions, type Invocation, type RunCommand } from './command.ts';
import { fieldOption, type OptionWords, parseAs } from './field-option.ts';

/** What a command is, beside what it does. Arguments are those fields that the usage names. */
export interface Presentation<Input, Result, Row, After> extends CommandHelp, Performance<Input, Result, Row, After> {
  /** Its name and arguments: `rotate <id>`. */
  readonly usage: string;
  /** The fields of those arguments that have another name, by the arguments. */
  readonly takes?: Readonly<Record<string, keyof Input & string>>;
  /** Options by the fields that they set. */
  readonly options?: { readonly [Name in keyof Input]?: OptionWords };
  /** Options that the act does not know, by the names under which `typed` has them. */
  readonly more?: Readonly<Record<string, OptionWords>>;
  /** What fields are where nothing is given, in place of their own defaults. */
  readonly defaults?: { readonly [Name in keyof Input]?: Input[Name] };
  /** An option that the act does not know, and what is done with it instead of the act. */
  readonly instead?: { readonly option: OptionWords; readonly run: (invocation: Invocation) => Promise<number> };
}

/** Options and arguments by the names of their fields, and those of `more`, as they were typed. */
export type Typed = Readonly<Record<string, unknown>>;

/** What a command does with an act. */
export interface Performance<Input, Result, Row, After> {
  /** What is wrong with the input, in the words of a terminal; null: nothing. Comes before the check of the act. */
  readonly check?: (input: Input) => string | null;
  /** What is read before the database is opened, such as files and standard input: makes what the act takes of what was given. */
  readonly read?: (given: Input, invocation: Invocation, typed: Typed) => Promise<Input>;
  /** The row that is named by `id`, or by a part of it. Errors: those of `findOne`. */
  readonly find?: (db: Queryable, reference: string) => Promise<Row>;
  /** The same for other fields that name rows: the whole id. */
  readonly ids?: { readonly [Name in keyof Input]?: (db: Queryable, reference: string) => Promise<string> };
  /** Where files of faculties are looked for, to warn of a name that nobody serves; default: where they are looked for anyway. */
  readonly faculties?: (typed: Typed) => string | undefined;
  /** What follows the act while the database is open, such as waiting for what it has begun. */
  readonly after?: (db: Database, done: Done<Input, Result, Row>, invocation: Invocation) => Promise<After>;
  /** What `--json` prints; default: the result. Errors are printed as those of the act. */
  readonly document?: (done: Ended<Input, Result, Row, After>) => object;
  /** What people see. Returns the exit code; default 0. */
  readonly show: (output: Output, done: Ended<Input, Result, Row, After>) => number | void;
}

export interface Done<Input, Result, Row> {
  readonly input: Input;
  readonly typed: Typed;
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
  const { usage, takes = {}, options = {}, more = {}, defaults = {}, instead } = presentation;
  return (group, run) => {
    const command = addCommand(group, usage, presentation);
    const adds = (field: Field, words: OptionWords) => {
      const option = fieldOption(field, words);
      command.addOption(option);
      return option;
    };
    const fields = [
      ...Object.entries<OptionWords>(options).map(
        ([name, words]) => [name, adds(operation.input[name]!, words)] as const,
      ),
      ...Object.entries(more).map(([name, words]) => [name, adds({ kind: 'flag' }, words)] as const),
    ];
    const other = instead && adds({ kind: 'flag' }, instead.option);
    const names = command.registeredArguments.map((argument) => {
      const name = takes[argument.name()] ?? argument.name();
      parseAs(operation.input[name]!, argument);
      return name;
    });
    command.action(
      run(async (invocation: Invocation, given: CommonOptions, ...args: readonly unknown[]) => {
        const values = given as Readonly<Record<string, unknown>>;
        if (instead && values[other!.attributeName()] === true) return instead.run(invocation);
        const typed: Record<string, unknown> = { ...defaultsOf(operation.input), ...defaults };
        const set = async (name: string, called: string, value: unknown) => {
          if (value === undefined) return;
          const field = operation.input[name];
          // Where files of JSON are is known only now.
          const isJson = field?.kind === 'json';
          typed[name] = isJson ? await readJson(field, called, value as string, invocation.context.cwd) : value;
        };
        for (const [index, name] of names.entries()) await set(name, name, args[index]);
        for (const [name, option] of fields) await set(name, option.long!, values[option.attributeName()]);
        return performOperation(operation, presentation, invocation, typed);
      }),
    );
  };
}

function defaultsOf(fields: Readonly<Record<string, Field>>): object {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  );
}

async function readJson({ object }: JsonField, option: string, given: string, cwd: string): Promise<unknown> {
  const { jsonObject, jsonOf } = await import('./json-option.ts');
  const json = jsonOf(option, given, cwd);
  return object ? jsonObject(option, json) : json;
}

/** Does what a command of an operation does, with what was typed; returns the exit code. */
export async function performOperation<Input, Result, Row extends { readonly id: string } = never, After = undefined>(
  operation: Operation<Input, Result>,
  { read, check, find, ids = {}, faculties, after, document, show }: Performance<Input, Result, Row, After>,
  invocation: Invocation,
  typed: Typed,
): Promise<number> {
  const given = Object.fromEntries(Object.entries(typed).filter(([name]) => name in operation.input)) as Input;
  const wanted = read ? await read(given, invocation, typed) : given;
  const wrong = check?.(wanted) ?? operation.check?.(wanted) ?? null;
  if (wrong !== null) throw usageError(wrong);
  const prepared = await operation.prepare?.(outsideOf(invocation), wanted);
  // Commands beside it may need no database, and so no driver.
  const { withDatabase } = await import('./database.ts');
  const done = await withDatabase(invocation, async (db) => {
    const row = (await find?.(db, (wanted as { readonly id: string }).id)) as Row;
    const input = { ...wanted, ...(await found(db, wanted as Typed, ids)), ...(find && { id: row.id }) };
    const { result, asked } = await act(invocation, db, operation, { input, prepared });
    const did = { input, typed, row, result };
    await note(invocation, db, asked, faculties?.(typed));
    return { ...did, after: (await after?.(db, did, invocation)) as After };
  });
  invocation.output.document((document?.(done) ?? done.result) as object);
  return show(invocation.output, done) ?? 0;
}

function outsideOf({ config, context }: Invocation): Outside {
  return {
    config,
    models: async () => (await import('./known-models.ts')).knownModels(await config()),
    signal: context.signals.drain,
    traceparent: traceparent(context.env['TRACEPARENT']),
  };
}

/** The caller's trace, if it has one in W3C form. */
function traceparent(value: string | undefined): string | null {
  return value !== undefined && /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(value) ? value : null;
}

async function found(
  db: Queryable,
  given: Typed,
  ids: Readonly<Record<string, ((db: Queryable, reference: string) => Promise<string>) | undefined>>,
): Promise<object> {
  const whole: Record<string, string> = {};
  for (const [name, find] of Object.entries(ids)) {
    const reference = given[name];
    if (find && typeof reference === 'string') whole[name] = await find(db, reference);
  }
  return whole;
}

/** How long an act is tried again while another transaction keeps rows locked: as over HTTP. */
export const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

/** Runs an act in one transaction as the login, or each statement alone if the act only reads; with the faculties that nobody may serve. */
export async function act<Input, Result>(
  invocation: Invocation,
  db: Database,
  operation: Operation<Input, Result>,
  { input, prepared }: { readonly input: Input; readonly prepared?: unknown },
): Promise<{ readonly result: Result; readonly asked: readonly Asked[] }> {
  let asked: readonly Asked[] = [];
  const attempt = (tx: Queryable) => {
    // Of this attempt only.
    asked = [];
    const unserved: Acting<never>['unserved'] = async (names, about) => {
      asked = [...asked, ...names.map((name) => ({ name, ...about }))];
      return {};
    };
    const views = async () => (await import('../../store/views/views-of-login.ts')).viewsOfLogin(tx);
    return operation.run(
      { ...outsideOf(invocation), tx, prepared: prepared as never, visitor: null, unserved, views },
      input,
    );
  };
  const once = () => (operation.http.method === 'GET' ? attempt(db) : db.transaction(attempt));
  return { result: await untilUnlocked(once, PATIENCE), asked };
}

type Asked = { readonly name: string } & Parameters<Acting<never>['unserved']>[1];

/**
 * A terminal prints the warning and knows more faculties: those with a file where it runs. To read them loads much, for which no transaction
 * waits.
 */
async function note(
  invocation: Invocation,
  db: Queryable,
  all: readonly Asked[],
  directory: string | undefined,
): Promise<void> {
  for (const asked of all) {
    const { warnIfUnserved } = await import('./known-faculties.ts');
    await warnIfUnserved(invocation, db, { ...asked, directory });
  }
}
