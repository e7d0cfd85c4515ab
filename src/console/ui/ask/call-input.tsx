/** The input of a call: the change of files, the command, or its fields. */
import { S } from '../../words/strings.ts';
import { Diff } from '../diff.tsx';
import { VisibleText } from '../visible-text.tsx';
import { CommandLine } from './command-line.tsx';
import { fileChanges } from './file-changes.ts';
import { textOf } from './request.ts';

export function CallInput({ tool, input }: { readonly tool: string; readonly input: unknown }) {
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
