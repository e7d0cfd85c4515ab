/** What an answer consists of, in order: texts in full; thoughts and calls folded. */
import { CallInput } from '../../ui/ask/call-input.tsx';
import { lineOf } from '../../ui/ask/request.ts';
import { duration } from '../../ui/duration.ts';
import { onlyChanged } from '../../ui/only-changed.tsx';
import { Prose } from '../../ui/prose.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import type { CallPart, Part } from './answer.ts';

interface PartsViewProps {
  readonly parts: readonly Part[];
  readonly item: string;
  /** It is being given: what was thought last is open while nothing else has come. Default false. */
  readonly isLive?: boolean;
}

export function PartsView({ parts, isLive = false }: PartsViewProps) {
  return (
    <div class="chat-parts">
      {parts.map((part, at) => (
        <PartView key={keyOf(part, at)} part={part} isLast={isLive && at === parts.length - 1} />
      ))}
    </div>
  );
}

/** A piece and the record that takes its place are the same row. */
function keyOf(part: Part, at: number): string {
  return part.is === 'call' ? `${part.turn} ${part.id}` : `${part.is} ${at}`;
}

const PartView = onlyChanged(({ part, isLast }: { readonly part: Part; readonly isLast: boolean }) => {
  switch (part.is) {
    case 'text':
      return <Prose text={part.text} />;
    case 'thought':
      return (
        <details class="chat-thought" open={isLast}>
          <summary>
            {S.chat.thought}{' '}
            <span class="faint">
              <VisibleText text={part.text.slice(0, SUMMARY_CHARS).replace(/\s+/g, ' ')} kind="text" />
            </span>
          </summary>
          <Prose text={part.text} />
        </details>
      );
    case 'call':
      return <Call call={part} />;
    case 'ask':
      return part.status === 'asked' ? null : (
        <p class="chat-note">
          {S.chat.decided(part.by ?? '', part.status)} <VisibleText text={part.note ?? ''} kind="text" most={400} />
        </p>
      );
    case 'wait':
      return (
        <p class="chat-note">
          {part.over === null ? S.chat.waits(part.kind) : S.chat.waited(part.kind)}{' '}
          {part.over === null && <Time at={part.until} />}
        </p>
      );
    case 'error':
      return (
        <p class="chat-note chat-error">
          <VisibleText text={part.text} kind="text" most={1000} />
        </p>
      );
  }
});

const SUMMARY_CHARS = 100;
const OUTPUT_CHARS = 4000;

function Call({ call: { name, input, ended, output, parent } }: { readonly call: CallPart }) {
  const line = lineOf({ kind: '', subject: 'tool_call', request: { tool: name, input } }).slice(0, SUMMARY_CHARS);
  const mark = ended === null ? '●' : ended.isError ? '✕' : '✓';
  return (
    <details class={parent === null ? 'chat-call' : 'chat-call chat-call-inner'}>
      <summary>
        <span
          aria-hidden="true"
          class={ended === null ? 'state-running' : ended.isError ? 'state-dead' : 'state-completed'}
        >
          {mark}
        </span>{' '}
        <strong>
          <VisibleText text={name} most={80} />
        </strong>{' '}
        <span class="faint">
          <VisibleText text={line} />
        </span>{' '}
        <span class="faint number">
          {ended === null ? S.chat.runs : ended.isError ? S.chat.failed : ''} {ended?.ms != null && duration(ended.ms)}
        </span>
      </summary>
      <CallInput tool={name} input={input} />
      {output !== '' && (
        <pre class="ask-line" tabIndex={0} aria-label={S.chat.output}>
          <VisibleText text={output} kind="source" lines most={OUTPUT_CHARS} />
        </pre>
      )}
      {ended !== null && ended.bytes > output.length && <p class="faint">{S.chat.cutOutput(ended.bytes)}</p>}
    </details>
  );
}
