/** `?own`: the asked peer's own figures instead of the swarm's, and nobody else is asked. */
export interface OwnQuery {
  readonly own?: string;
}

export const ownQuery = {
  type: "object",
  additionalProperties: false,
  properties: { own: { type: "string", enum: ["", "true", "false"] } },
};

export function wantsOwn({ own }: OwnQuery): boolean {
  return own !== undefined && own !== "false";
}
