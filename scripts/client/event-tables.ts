/** The tables of docs/events.md, made of the declarations of events and hints. */
import { CONVERSATION_MISSED, STATES_HINTS, STREAM_HINTS } from '../../src/http/events/stream-hints.ts';
import { CONVERSATION_EVENTS } from '../../src/store/events/conversation-events.ts';
import { WORK_HINTS } from '../../src/store/events/hints.ts';
import { type EventType, WORK_EVENTS } from '../../src/store/events/work-events.ts';

type Table = readonly (readonly [type: string, EventType])[];

const TABLES: Readonly<Record<string, Table>> = {
  work: Object.entries(WORK_EVENTS),
  conversation: Object.entries(CONVERSATION_EVENTS),
  hints: [...Object.entries({ ...WORK_HINTS, ...STREAM_HINTS }), ['missed', CONVERSATION_MISSED]],
  states: Object.entries(STATES_HINTS),
};

/** Fields that the page says every event or hint has. */
const EVERY = new Set(['work_item_id']);

/** The page with its tables as they are declared now. */
export function withEventTables(page: string): string {
  return Object.entries(TABLES).reduce((text, [name, rows]) => {
    const begin = `<!-- Written by \`npm run client\`: ${name}. -->\n`;
    const end = '<!-- End of what `npm run client` writes. -->';
    const from = text.indexOf(begin);
    const to = text.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`docs/events.md has no place for the table ${name}`);
    return `${text.slice(0, from + begin.length)}${tableOf(rows)}${text.slice(to)}`;
  }, page);
}

function tableOf(rows: Table): string {
  const lines = rows.map(([type, { when, fields }]) => `| \`${type}\` | ${when} | ${fieldsOf(fields)} |`);
  return ['| `type` | when | its fields |', '| --- | --- | --- |', ...lines, ''].join('\n');
}

function fieldsOf(fields: EventType['fields']): string {
  const own = Object.entries(fields).filter(([name]) => !EVERY.has(name));
  return own
    .map(([name, schema]) => {
      const { description } = schema as { readonly description?: string };
      return description === undefined ? `\`${name}\`` : `\`${name}\` (${description})`;
    })
    .join(', ');
}
