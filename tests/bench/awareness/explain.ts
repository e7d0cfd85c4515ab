/** The plans of the statements inside `animus.awareness_for`, as auto_explain reports them. */
import pg from 'pg';

const SETTINGS = ['min_duration = 0', 'nested_statements = on', 'analyze = on', 'buffers = on', 'level = notice'];

/** Calls it, warm, and returns the plan of each part with its buffers and times. For a superuser. */
export async function explainAwareness(url: string, viewer: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  const plans: string[] = [];
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.connect();
  try {
    await client.query("load 'auto_explain'");
    const call = () => client.query('select count(*) from animus.awareness_for(array[$1], 24)', [viewer]);
    for (let n = 0; n < 6; n++) await call();
    for (const setting of SETTINGS) await client.query(`set auto_explain.log_${setting}`);
    await call();
  } finally {
    await client.end();
  }
  return plans.filter((plan) => plan.includes('work_items') || plan.includes('skill_versions'));
}
