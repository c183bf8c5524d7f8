/** Longest name of a job that is looked at. */
export const jobNameSchema = { type: "string", maxLength: 64 };
