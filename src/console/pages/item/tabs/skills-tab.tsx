/** The skills that an item has used, and what the engine wrote into its context. */
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Shown } from '../../../ui/shown.tsx';
import { Text } from '../../../ui/text.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

const PAGE = 100;

export function SkillsTab({ id, revision }: { readonly id: string; readonly revision: number }) {
  const skills = useLoaded((signal) => api.record.listActivations(id, { signal }), [id, revision]);
  const context = useLoaded((signal) => api.record.listContext(id, { limit: PAGE }, { signal }).page(), [id, revision]);
  return (
    <>
      <section class="item-part">
        <h2>{S.item.skills}</h2>
        <Shown of={skills}>
          {({ items }) => (
            <>
              {items.length === 0 && <p class="faint">{S.item.noSkills}</p>}
              <ul class="plain rows">
                {items.map(({ skill, version, reason, activated_at, content_hash }) => (
                  <li key={`${skill} ${content_hash} ${activated_at}`}>
                    <a href={hrefTo('agents', [], { skill })}>
                      <VisibleText text={skill} />
                    </a>
                    <span class="faint">{version ?? content_hash.slice(0, 10)}</span>
                    <span class="grow faint">{reason}</span>
                    <Time at={activated_at} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </Shown>
      </section>
      <section class="item-part">
        <h2>{S.item.context}</h2>
        <Shown of={context}>
          {({ items, next }) => (
            <>
              {items.length === 0 && <p class="faint">{S.item.noContext}</p>}
              {items.map(({ focus_id, seq, kind, after_turn, content, tokens }) => (
                <details key={`${focus_id} ${seq}`} class="context">
                  <summary>
                    {kind} <span class="faint">{S.item.afterTurn(after_turn, tokens)}</span>
                  </summary>
                  <Text text={content} />
                </details>
              ))}
              {next !== null && <p class="faint">{S.item.firstMessages(PAGE)}</p>}
            </>
          )}
        </Shown>
      </section>
    </>
  );
}
