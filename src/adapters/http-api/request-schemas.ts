/** Longest name of a job that is looked at. */
export const jobNameSchema = { type: "string", maxLength: 64 };

/** A URL that a request names. */
export const urlSchema = { type: "string", minLength: 1, maxLength: 65_536 };
