-- What the hooks of the loop decided (docs/hooks.md). Kept until the item is deleted, also where its transcript is packed.

create table animus.hook_runs (
  focus_id    uuid not null references animus.foci (id) on delete cascade,
  turn        int not null check (turn >= 1),
  event       text not null,
  call_id     text not null default '',  -- of before_llm_call: ''
  hook        text not null,
  run_id      uuid not null,  -- of the newest run: it is recorded once
  decision    text not null check (decision in ('allow', 'block', 'modify', 'failed')),
  given       bytea,  -- SHA-256 of tool and input that before_tool_call judged
  reason      text,
  patch       json,  -- of before_tool_call
  ended_at    timestamptz not null,
  duration_ms float8 not null,
  primary key (focus_id, turn, event, call_id, hook)
);
