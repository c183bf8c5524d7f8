/** `?own`: the asked peer's own figures instead of the swarm's, and nobody else is asked. */
export interface OwnQuery {
  readonly own?: string;
}

/** A mark in a query: `?own`, or `?own=true`. */
export const markSchema = { type: "string", enum: ["", "true", "false"] };

export const ownQuery = {
  type: "object",
  additionalProperties: false,
  properties: { own: markSchema },
};

export function wantsOwn({ own }: OwnQuery): boolean {
  return isMarked(own);
}

/** Whether a {@link markSchema} is there. */
export function isMarked(mark: string | undefined): boolean {
  return mark !== undefined && mark !== "false";
}
