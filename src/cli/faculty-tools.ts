/** Tools that a faculty may name; the engine's own are always there. */
export const FACULTY_TOOLS: readonly string[] = ['read_file', 'write_file', 'edit_file', 'list_dir', 'bash'];
