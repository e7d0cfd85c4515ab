/**
 * One request to a person, made from what is recorded, with what decides it. It needs nothing of the page around it but a client, so that another page can show
 * it, too.
 */
import { useRef } from 'preact/hooks';
import type { Approval } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import { Json } from '../json.tsx';
import { Time } from '../time.tsx';
import { exactJson } from '../visible-pieces.ts';
import { VisibleText } from '../visible-text.tsx';
import { AskedContent } from './asked-content.tsx';
import { type Decided, type DecidingClient, decide } from './decide.ts';
import { DecideForm, type FormHandle } from './decide-form.tsx';
import { otherwiseOf, textOf, titleOf } from './request.ts';
import './ask.css';

export interface AskCardProps {
  readonly ask: Approval;
  readonly client: DecidingClient;
  /** Null: this person may decide; otherwise why not. */
  readonly mayNot: string | null;
  /** The address of a work item; null: there is no page for it. */
  readonly workHref: (id: string) => string | null;
  /** After a decision, also one of somebody else. */
  readonly onDecided: (decided: Decided) => void;
  /** To act on the card with keys. */
  readonly handle?: { current: FormHandle | null };
}

export function AskCard({ ask, client, mayNot, workHref, onDecided, handle }: AskCardProps) {
  const own = useRef<FormHandle>(null);
  const id = `ask-${ask.ask_id}`;
  return (
    <article class="ask" aria-labelledby={id}>
      <header class="ask-head">
        <h2 id={id} tabIndex={-1}>
          <VisibleText text={titleOf(ask)} kind="code" most={200} />
        </h2>
        <span class="faint">
          {ask.faculty} · <Time at={ask.asked_at} />
        </span>
      </header>
      <Facts ask={ask} workHref={workHref} />
      <AskedContent ask={ask} client={client} />
      <details class="ask-exact">
        <summary>{S.ask.exact}</summary>
        <Json value={ask.request} label={S.ask.json} />
        <p class="faint">{S.ask.ascii}</p>
        <VisibleText text={exactJson(ask.request, 2)} lines most={4000} />
        <p class="faint">
          {S.ask.hash} <code>{ask.hash}</code>
        </p>
      </details>
      {mayNot === null ? (
        <DecideForm
          key={ask.ask_id}
          ask={ask}
          handle={handle ?? own}
          hasKeys={handle !== undefined}
          decide={async (decision) => {
            const decided = await decide(client, ask, decision);
            onDecided(decided);
            return decided;
          }}
        />
      ) : (
        <p class="ask-may-not">{mayNot}</p>
      )}
    </article>
  );
}

function Facts({ ask, workHref }: Pick<AskCardProps, 'ask' | 'workHref'>) {
  const { request, work_item_id: id, call_id: call, deadline } = ask;
  const reason = textOf(request['reason']);
  const href = id === null ? null : workHref(id);
  const work = <VisibleText text={ask.description === '' ? (id ?? '') : ask.description} kind="text" most={300} />;
  return (
    <dl class="ask-facts">
      <Fact name={S.ask.work}>{href === null ? work : <a href={href}>{work}</a>}</Fact>
      {ask.submitted_by !== null && (
        <Fact name={S.ask.submittedBy}>
          <VisibleText text={ask.submitted_by} most={200} />
        </Fact>
      )}
      {ask.subject === 'tool_call' && reason !== null && (
        <Fact name={S.ask.why}>
          <VisibleText text={reason} most={600} /> <span class="faint">({textOf(request['gate']) ?? ''})</span>
        </Fact>
      )}
      {call !== null && (
        <Fact name={S.ask.call}>
          <VisibleText text={call} most={120} />, {S.now.turn(ask.turn ?? 0)}
        </Fact>
      )}
      {ask.items > 1 && <Fact name={S.ask.items}>{S.ask.itemsWait(ask.items)}</Fact>}
      {request['four_eyes'] === true && <Fact name={S.ask.fourEyes}>{S.ask.fourEyesHint}</Fact>}
      {deadline !== null && (
        <Fact name={S.ask.deadline}>
          <Time at={deadline} />, {otherwiseOf(ask)}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
