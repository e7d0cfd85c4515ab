/** `animus person list|set|disable|enable`: who may use animus through a gateway, and with which role. */
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { cut, right, showTable, spare } from '../../terminal/view/table.ts';
import { listPeople, setPerson } from './operations.ts';
import { type Person, personRole } from './store.ts';

const list = operationCommand(listPeople, {
  usage: 'list',
  summary: 'list the people with their roles and how many tokens they have; * is everybody who is not listed',
  examples: ['animus person list', 'animus person list --json'],
  document: ({ result: { items: people } }) => ({ people }),
  show(output, { result: { items: people } }) {
    if (people.length === 0) {
      output.note('nobody is listed; everybody for whom a gateway acts is a submitter');
      return;
    }
    showTable(output, people, [
      [cut('PERSON'), (person) => person.name],
      ['ROLE', (person) => person.role],
      [right('TOKENS'), (person) => String(person.tokens)],
      ['STATE', stateOf],
      [spare(cut('ADDED BY')), (person) => person.created_by],
    ]);
  },
});

const changed = {
  arguments: { name: "the name of a person, or '*' for everybody who is not listed" },
  show: (output: Output, { result: person }: { readonly result: Person }) =>
    output.line(`${person.name}  ${person.role}  `, stateOf(person)),
};

/** Only a login of the database makes operators. */
const setRole = { ...setPerson, input: { ...setPerson.input, role: personRole } };

const set = operationCommand(setRole, {
  ...changed,
  usage: 'set <name>',
  summary: 'add a person, or change the role of one; it takes effect with the next request',
  examples: ['animus person set alice --role operator', "animus person set '*' --role reader"],
  options: { role: ['--role <role>', `one of ${personRole.words.join(', ')}`] },
});

const disable = operationCommand(disabling(true), {
  ...changed,
  usage: 'disable <name>',
  summary: "refuse a person and all their tokens; their work goes on. With '*': everybody who is not listed",
  examples: ['animus person disable alice', "animus person disable '*'"],
});

const enable = operationCommand(disabling(false), {
  ...changed,
  usage: 'enable <name>',
  summary: 'accept a disabled person again, with the tokens that were not revoked',
  examples: ['animus person enable alice'],
});

export const personCommands = [list, set, disable, enable];

function disabling(disabled: boolean): typeof setPerson {
  return { ...setPerson, run: (acting, { name }) => setPerson.run(acting, { name, role: undefined, disabled }) };
}

function stateOf({ disabled_at }: Pick<Person, 'disabled_at'>) {
  return disabled_at === null ? styled('enabled', 'green') : styled('disabled', 'yellow');
}
