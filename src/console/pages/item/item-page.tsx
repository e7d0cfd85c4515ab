/** One work item: what became of it, what it did along time, and all that is recorded of it. */
import { useEffect, useState } from 'preact/hooks';
import type { WorkItem } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { place } from '../../model/place.ts';
import { useTitle } from '../../model/title.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Problem } from '../../ui/problem.tsx';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { Head } from './head.tsx';
import { ItemTabs } from './item-tabs.tsx';
import { useFollowed } from './record/follow.ts';
import { isOpen, titleOf } from './record/item.ts';
import { useRecord } from './record/use-record.ts';
import { Timeline } from './timeline/timeline.tsx';
import './item.css';

/** Also without an event: a pause, another daemon. */
const REFRESH_MS = 15_000;
/** Of items with more turns, contents are read when they are looked at. */
const LONG_TURNS = 150;

export default function ItemPage() {
  const id = place.value.rest[0] ?? '';
  return <Item key={id} id={id} />;
}

function Item({ id }: { readonly id: string }) {
  const read = useLoaded((signal) => api.work.show(id, { signal }), [id], { everyMs: REFRESH_MS });
  return <Shown of={read}>{(item) => <ReadItem item={item} reload={read.reload} />}</Shown>;
}

function ReadItem({ item, reload }: { readonly item: WorkItem; readonly reload: () => void }) {
  const followed = useFollowed(item.id, isOpen(item.state));
  const revision = followed.revision.value;
  const [isLong] = useState(item.turns > LONG_TURNS);
  const record = useRecord(item.id, revision, isLong);
  useEffect(() => {
    if (revision > 0) reload();
  }, [revision]);
  useTitle(titleOf(item));
  const interrupted = followed.interrupted.value;
  return (
    <>
      <Head item={item} reload={reload} />
      {interrupted !== null && <Problem text={S.item.interrupted(interrupted)} />}
      {record.problem !== null && <Problem text={S.common.stale(record.problem)} />}
      <Timeline id={item.id} record={record} />
      <ItemTabs item={item} record={record} live={followed.live} revision={revision} reload={reload} />
    </>
  );
}
