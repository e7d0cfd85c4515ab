-- What the tools of MCP servers looked like when a person allowed a faculty to call them. A tool that looks different now is not called.
create table animus.mcp_pins (
  faculty         text not null,
  server          text not null,
  tool            text not null,  -- its name at the server
  description     text not null,
  input_schema    json not null,
  definition_hash text not null,  -- SHA-256 of the server's whole definition, hexadecimal
  pinned_by       text not null,
  pinned_at       timestamptz not null,
  problem         text,           -- why a daemon refuses calls: the tool has changed, or is gone
  problem_at      timestamptz,
  primary key (faculty, server, tool),
  constraint hash_is_sha256 check (definition_hash ~ '^[0-9a-f]{64}$'),
  constraint problem_has_time check ((problem is null) = (problem_at is null))
);
