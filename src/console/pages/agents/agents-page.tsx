/** The faculties, the skills that agents wrote, and what they remember. */
import { place } from '../../model/place.ts';
import { chosenTab, Tabs } from '../../ui/tabs.tsx';
import { S } from '../../words/strings.ts';
import { FacultyList } from './faculties/faculty-list.tsx';
import { Memories } from './memories/memories.tsx';
import { SkillDetail } from './skills/skill-detail.tsx';
import { SkillList } from './skills/skill-list.tsx';
import './agents.css';

export default function AgentsPage() {
  const tabs = Object.entries(S.agents.tabs).map(([name, title]) => ({ name, title }));
  const tab = chosenTab(tabs);
  const skill = place.value.query.get('skill');
  return (
    <>
      <h1>{S.agents.title}</h1>
      <Tabs label={S.agents.tabsLabel} tabs={tabs} />
      {skill !== null ? (
        <SkillDetail key={skill} name={skill} />
      ) : tab === 'skills' ? (
        <SkillList />
      ) : tab === 'memories' ? (
        <Memories />
      ) : (
        <FacultyList />
      )}
    </>
  );
}
