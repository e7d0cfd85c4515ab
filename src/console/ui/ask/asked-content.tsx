/** What is to be decided: the change of files, the command, the question, the limit. */
import type { Approval } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import { Diff } from '../diff.tsx';
import { VisibleText } from '../visible-text.tsx';
import { AskedBudget } from './asked-budget.tsx';
import { AskedSkill } from './asked-skill.tsx';
import { CommandLine } from './command-line.tsx';
import type { DecidingClient } from './decide.ts';
import { fileChanges } from './file-changes.ts';
import { callOf, textOf } from './request.ts';

interface AskedContentProps {
  readonly ask: Approval;
  readonly client: DecidingClient;
}

export function AskedContent({ ask, client }: AskedContentProps) {
  const call = callOf(ask);
  const { request, subject } = ask;
  if (call !== null) return <Call tool={call.tool} input={call.input} />;
  if (subject === 'budget') return <AskedBudget ask={ask} />;
  if (subject === 'skill')
    return <AskedSkill client={client} name={textOf(request['skill']) ?? ''} request={request} />;
  const words = ['question', 'reason', 'lost'].map((key) => textOf(request[key])).find((text) => text !== null);
  return words === undefined ? null : (
    <blockquote class="ask-words">
      <VisibleText text={words} kind="text" lines />
    </blockquote>
  );
}

function Call({ tool, input }: { readonly tool: string; readonly input: unknown }) {
  const { command, path, overwrite, replace_all: all, ...others } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (tool === 'bash' && typeof command === 'string') {
    return (
      <>
        <CommandLine command={command} />
        <Fields of={others} />
      </>
    );
  }
  const files = fileChanges(tool, input);
  if (files === null) return <Fields of={(input ?? {}) as Readonly<Record<string, unknown>>} />;
  if (tool === 'remove_file') {
    return (
      <p>
        {S.ask.removes} <VisibleText text={textOf(path) ?? ''} />
      </p>
    );
  }
  return (
    <>
      <Diff files={files} />
      {tool === 'write_file' && <p class="faint">{overwrite === true ? S.ask.overwrites : S.ask.writes}</p>}
      {all === true && <p class="faint">{S.ask.replacesAll}</p>}
    </>
  );
}

function Fields({ of: fields }: { readonly of: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return null;
  return (
    <dl class="ask-fields">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <VisibleText text={name} most={200} />
          </dt>
          <dd>
            <VisibleText text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} lines />
          </dd>
        </div>
      ))}
    </dl>
  );
}
