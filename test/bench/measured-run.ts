import { spawn } from "node:child_process";
import { openSync, closeSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A command to run and measure. */
export interface MeasuredCommand {
  readonly argv: readonly string[];
  /** Empty directory that the command may write to; it is the working directory. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** What still runs then is killed. */
  readonly timeoutMs: number;
}

/** What a command and all its descendants used. */
export interface MeasuredRun {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly exitCode: number;
  /** Why it was killed. */
  readonly killed?: "timeout" | "interrupted";
  /** User and system time, from the kernel's own account. */
  readonly cpuSeconds: number;
  /** Highest resident memory of the tree. */
  readonly peakBytes: number;
  /** The end of its standard error. */
  readonly complaint: string;
}

/** A sample costs some 0.1 ms; the peak itself comes from the kernel's high-water mark wherever there is one process. */
const sampleEveryMs = 50;
const complaintCharsMax = 2_000;

/**
 * Bash only keeps the account: its `time` adds up what it waited for, to the millisecond, also where the command was
 * killed. Figures go to descriptor 3, the command's own output to files.
 */
const accountant = String.raw`TIMEFORMAT='%3U %3S'; { time "$@" >&4 2>&5 3>&- ; } 2>&3`;

/** Runs a command to its end, and measures processor time and memory of the whole process tree. */
export async function measuredRun(
  command: MeasuredCommand,
  signal: AbortSignal,
): Promise<MeasuredRun> {
  const files = ["account.txt", "stdout.txt", "stderr.txt"].map((name) =>
    join(command.directory, "..", name),
  );
  const descriptors = files.map((file) => openSync(file, "w"));
  const memory = new TreeMemory();
  let killed: MeasuredRun["killed"];
  const startedAtMs = Date.now();
  const child = spawn("bash", ["-c", accountant, "bash", ...command.argv], {
    cwd: command.directory,
    env: { ...process.env, ...command.env },
    stdio: ["ignore", "ignore", "ignore", ...descriptors],
  });
  const root = child.pid ?? 0;
  const kill = (reason: "timeout" | "interrupted"): void => {
    killed ??= reason;
    for (const pid of descendants(root)) process.kill(pid, "SIGKILL");
  };
  const interrupt = (): void => kill("interrupted");
  const timeout = setTimeout(() => kill("timeout"), command.timeoutMs);
  const sampler = setInterval(() => memory.sample(root), sampleEveryMs);
  signal.addEventListener("abort", interrupt);
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => resolve(code ?? -1));
    });
    const endedAtMs = Date.now();
    const [account = "", , complaint = ""] = files.map((file) => readFileSync(file, "utf8"));
    return {
      startedAtMs,
      endedAtMs,
      exitCode,
      ...(killed !== undefined && { killed }),
      cpuSeconds: cpuSecondsOf(account),
      peakBytes: memory.peakBytes,
      complaint: complaint.trim().slice(-complaintCharsMax),
    };
  } finally {
    clearTimeout(timeout);
    clearInterval(sampler);
    signal.removeEventListener("abort", interrupt);
    descriptors.forEach(closeSync);
  }
}

/** The last line: what comes before are the shell's own words about a killed command. */
function cpuSecondsOf(account: string): number {
  const last = account.trim().split("\n").at(-1) ?? "";
  const seconds = last.split(" ").map(Number);
  const sum = seconds.reduce((total, part) => total + part, 0);
  return seconds.length === 2 && Number.isFinite(sum) ? sum : 0;
}

/** Peak resident memory of a process's descendants: of all together as sampled, and of each as the kernel noted it. */
class TreeMemory {
  peakBytes = 0;

  sample(root: number): void {
    let together = 0;
    for (const pid of descendants(root)) {
      const status = procFile(`${pid}/status`);
      together += kilobytes(status, "VmRSS") * 1_024;
      this.peakBytes = Math.max(this.peakBytes, kilobytes(status, "VmHWM") * 1_024);
    }
    this.peakBytes = Math.max(this.peakBytes, together);
  }
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
}

/** Processes below `pid`, without it. */
function descendants(pid: number): number[] {
  const found: number[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const thread of threadsOf(next)) {
      const children = procFile(`${next}/task/${thread}/children`).split(" ").filter(Boolean);
      found.push(...children.map(Number));
      waiting.push(...children.map(Number));
    }
  }
  return found;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty where the process has just ended. */
function procFile(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return "";
  }
}
