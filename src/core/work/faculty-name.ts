/** What a faculty may be called; the database holds the same rule (work_items.faculty). */
export const FACULTY_NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/** The rule in words that complete «expected …». */
export const FACULTY_NAME_RULE = '1 to 63 lower-case letters, digits, - and _, a letter first';
