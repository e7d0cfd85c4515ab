/** `animus person list|set|disable|enable`: who may use animus through a gateway, and with which role. */
import type { Command } from 'commander';
import { PERSON_ROLES, type PersonRole } from '../../core/work/people.ts';
import { requireListed } from '../../store/people/listed-person.ts';
import { listPeople } from '../../store/people/people-views.ts';
import { type Person, setPerson } from '../../store/people/tokens.ts';
import { choice } from '../../terminal/command/arguments.ts';
import {
  addCommand,
  addGroup,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';

interface SetOptions extends CommonOptions {
  readonly role: PersonRole;
}

const ARGUMENTS = { name: "the name of a person, or '*' for everybody who is not listed" };

/** Adds `animus person list|set|disable|enable`. */
export function addPersonCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'person', 'people who use animus by HTTP, and their roles');
  addCommand(group, 'list', {
    summary: 'list the people with their roles and how many tokens they have; * is everybody who is not listed',
    examples: ['animus person list', 'animus person list --json'],
  }).action(run(listCommand));
  addCommand(group, 'set <name>', {
    summary: 'add a person, or change the role of one; it counts from the next request on',
    arguments: ARGUMENTS,
    examples: ['animus person set alice --role operator', "animus person set '*' --role reader"],
  })
    .requiredOption('--role <role>', `one of ${PERSON_ROLES.join(', ')}`, choice(PERSON_ROLES))
    .action(run(setCommand));
  addCommand(group, 'disable <name>', {
    summary: "refuse a person and all its tokens; its work goes on. With '*': everybody who is not listed",
    arguments: ARGUMENTS,
    examples: ['animus person disable alice', "animus person disable '*'"],
  }).action(run((invocation: Invocation, _options: CommonOptions, name: string) => change(invocation, name, true)));
  addCommand(group, 'enable <name>', {
    summary: 'accept a disabled person again, with the tokens that were not revoked',
    arguments: ARGUMENTS,
    examples: ['animus person enable alice'],
  }).action(run((invocation: Invocation, _options: CommonOptions, name: string) => change(invocation, name, false)));
}

async function listCommand(invocation: Invocation, _options: CommonOptions): Promise<number> {
  const { output } = invocation;
  const people = await withDatabase(invocation, listPeople);
  output.document({ people });
  if (people.length === 0) {
    output.note('nobody is listed; everybody for whom a gateway acts is a submitter');
    return 0;
  }
  output.table(
    [
      { title: 'PERSON', shrink: true },
      { title: 'ROLE' },
      { title: 'TOKENS', align: 'right' },
      { title: 'STATE' },
      { title: 'ADDED BY', shrink: true, optional: true },
    ],
    people.map((person) => [person.name, person.role, String(person.tokens), stateOf(person), person.created_by]),
  );
  return 0;
}

async function setCommand(invocation: Invocation, { role }: SetOptions, name: string): Promise<number> {
  show(invocation, await withDatabase(invocation, (db) => setPerson(db, name, { role })));
  return 0;
}

async function change(invocation: Invocation, name: string, disabled: boolean): Promise<number> {
  const changed = await withDatabase(invocation, async (db) => {
    requireListed(name, await listPeople(db));
    return setPerson(db, name, { disabled });
  });
  show(invocation, changed);
  return 0;
}

function show({ output }: Invocation, person: Person): void {
  output.document(person);
  output.line(`${person.name}  ${person.role}  `, stateOf(person));
}

function stateOf({ disabled_at }: Pick<Person, 'disabled_at'>) {
  return disabled_at === null ? styled('enabled', 'green') : styled('disabled', 'yellow');
}
