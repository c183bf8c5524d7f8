/** A URL that a request names. */
export const urlSchema = { type: "string", minLength: 1, maxLength: 65_536 };
