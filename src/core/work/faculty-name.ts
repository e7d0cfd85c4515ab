/** The rule for names of faculties; the database has the same one (work_items.faculty). */
export const FACULTY_NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/** The rule as text that completes "expected …". */
export const FACULTY_NAME_RULE = '1 to 63 lower-case letters, digits, - and _, starting with a letter';
