/** A duration, or a moment as milliseconds since the Unix epoch where the name ends in `AtMs`. */
export type Millis = number;

/** A value of type `T` that cannot be mistaken for another one of the same type. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };

/** Lower-case host name without a trailing dot, or an IP literal as in a URL (IPv6 in brackets). */
export type HostName = Brand<string, "HostName">;

/** Registrable domain, or an IP literal: the unit of ownership. */
export type SiteName = Brand<string, "SiteName">;

/** Scheme, host and port, as `URL.origin` writes it: the unit of robots.txt. */
export type OriginName = Brand<string, "OriginName">;

/** IP address in its usual text form, IPv6 without brackets. */
export type IpAddress = Brand<string, "IpAddress">;

/** Name of a job, unique in the swarm. */
export type JobId = Brand<string, "JobId">;

/** A canonical, fetchable URL: what {@link canonicalizeUrl} returns. */
export type CanonicalUrl = Brand<string, "CanonicalUrl">;

/** A member's id in the swarm: the text form of its public key. */
export type MemberId = Brand<string, "MemberId">;
