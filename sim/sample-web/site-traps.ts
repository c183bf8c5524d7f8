/** Endless parts of a site: each of their pages links to pages that nobody has seen. */
export type TrapName = "calendar" | "deep" | "search";

/** Where the root of a site with traps links to. */
export const trapEntries = [
  "/calendar/2026/07/",
  "/deep/",
  "/search?color=0&size=0&page=0",
] as const;

/** The trap that a path (with its query) belongs to. */
export function trapOf(path: string): TrapName | undefined {
  if (/^\/calendar\/\d{1,9}\/\d{2}\/$/.test(path)) return "calendar";
  if (/^\/deep\/(?:level\/)*$/.test(path)) return "deep";
  if (path.startsWith("/search?")) return "search";
  return undefined;
}

/** References on a page of a trap. */
export function trapLinks(trap: TrapName, path: string): string[] {
  switch (trap) {
    case "calendar": {
      const [, , year = "2026", month = "01"] = path.split("/");
      const months = Number(year) * 12 + Number(month) - 1;
      return [months - 1, months + 1].map(calendarPath);
    }
    case "deep":
      return ["level/"];
    case "search": {
      const values =
        path
          .split("?")[1]
          ?.split("&")
          .map((pair) => pair.split("=")) ?? [];
      return values.map((_, changed) => {
        const pairs = values.map(([name = "", value = ""], place) => {
          const next = place === changed ? Number.parseInt(value, 10) + 1 : value;
          return `${encodeURIComponent(name)}=${encodeURIComponent(next)}`;
        });
        return `/search?${pairs.join("&")}`;
      });
    }
  }
}

function calendarPath(months: number): string {
  const month = String((months % 12) + 1).padStart(2, "0");
  return `/calendar/${Math.max(0, Math.floor(months / 12))}/${month}/`;
}
