-- placeholder of this worktree; not committed
select 1;
