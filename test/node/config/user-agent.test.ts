import { describe, expect, it } from "vitest";
import type { SettingValues } from "../../../node/config/settings.ts";
import {
  contactNote,
  isSoundContact,
  isSoundUserAgent,
  userAgentOf,
} from "../../../node/config/user-agent.ts";

describe("the user agent", () => {
  it("names the program, its version and whom to turn to", () => {
    expect(userAgentOf("1.2.3", {})).toBe("orbweaver/1.2.3");
    const contact = "https://a.example/bot";
    expect(userAgentOf("1.2.3", { contact })).toBe("orbweaver/1.2.3 (+https://a.example/bot)");
    expect(userAgentOf("1.2.3", { contact, userAgent: "ex/2" })).toBe(
      "ex/2 (+https://a.example/bot)",
    );
    const full = "ex/2 (+https://a.example/bot)";
    expect(userAgentOf("1.2.3", { contact, userAgent: full })).toBe(full);
  });

  it.each([
    ["examplebot/1.0", true],
    ["examplebot", true],
    ["examplebot/1.0 (+https://a.example/; a@b.example) lib/2", true],
    ["Mozilla/5.0 (compatible; examplebot/1.0)", false],
    ["mozilla/5.0", false],
    ["Mozilla", false],
    ["Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18", false],
    ["MozillaWatch/1.0", true],
    ["", false],
    ["(no product)", false],
    ["bot/1.0\r\nx: y", false],
    ["bot/é", false],
    ["x".repeat(257), false],
  ])("%j may be sent: %s", (value, sound) => {
    expect(isSoundUserAgent(value)).toBe(sound);
  });

  it.each([
    ["https://a.example/bot", true],
    ["mailto:a@b.example", true],
    ["a@b.example", true],
    ["a.example", false],
    ["https://", false],
    ["a@b) evil", false],
    ["javascript:alert(1)", false],
  ])("%j is somebody to turn to: %s", (value, sound) => {
    expect(isSoundContact(value)).toBe(sound);
  });
});

it.each([
  [{}, true],
  [{ "user-agent": "examplebot/1.0" }, true],
  [{ "user-agent": "examplebot/1.0 (+https://example.com/bot)" }, false],
  [{ contact: "mail@example.com" }, false],
  [{ "allow-private": true }, false],
] as [SettingValues, boolean][])("asks who sets %j whom to turn to: %s", (values, asks) => {
  expect(contactNote(values) !== undefined).toBe(asks);
});
