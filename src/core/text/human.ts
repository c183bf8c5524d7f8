/** 1234567 as `1,234,567`. */
export function formatCount(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A rate with as many digits as mean something: `0.35`, `4.2`, `1,234`. One that fades away is `0` in the end. */
export function formatRate(perSecond: number): string {
  if (!Number.isFinite(perSecond) || perSecond < 0.005) return "0";
  if (perSecond < 1) return perSecond.toFixed(2);
  return perSecond < 9.95 ? perSecond.toFixed(1) : formatCount(perSecond);
}

const binaryUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** Bytes in the unit that leaves at most four digits before the point: `512 B`, `1.2 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 1,023.95 would be printed as 1024.0 of the smaller unit.
  while (value >= (unit === 0 ? 1_024 : 1_023.95) && unit < binaryUnits.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 ? formatCount(value) : value.toFixed(1)} ${binaryUnits[unit] ?? ""}`;
}

/** A share of a whole, with two decimals where it is less than a hundredth: `0.49%`, `97.3%`. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)}%`;
}

/** A duration by its two largest units: `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 59_950) return `${(Math.max(ms, 0) / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A running clock of constant width: `00:01:23`. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(Math.max(ms, 0) / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** `1 page`, `2 pages`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `2026-01-02 03:04:05` of an ISO 8601 time. */
export function formatTime(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}
